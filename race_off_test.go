//go:build !race

package drx

const raceDetector = false
