//go:build !race

package bridgetest

// Race says that the process uses more memory, for the race detector.
const Race = false
