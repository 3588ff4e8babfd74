//go:build !race

package cube_test

// raceDetector tells that programs are as fast as they are.
const raceDetector = false
