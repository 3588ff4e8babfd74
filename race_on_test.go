//go:build race

package drx

// raceDetector says that the process uses much memory for the race detector, so that limits are not tested.
const raceDetector = true
