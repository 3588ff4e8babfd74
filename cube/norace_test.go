//go:build !race

package cube_test

// raceDetector reports whether the race detector is on, which makes programs several times slower.
const raceDetector = false
