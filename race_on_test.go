//go:build race

package drx

// raceDetector says that memory is what the race detector takes, not what the program does.
const raceDetector = true
