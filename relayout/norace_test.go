//go:build !race

package relayout

// raceDetector tells that programs take no more memory than they need.
const raceDetector = false
