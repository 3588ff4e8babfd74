//go:build race

package relayout

// raceDetector tells that programs take several times the memory that they need.
const raceDetector = true
