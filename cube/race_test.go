//go:build race

package cube_test

// raceDetector tells that programs are several times slower than they are.
const raceDetector = true
