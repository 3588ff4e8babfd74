//go:build race

package bridgetest

// Race reports whether the race detector is on, which makes the process use more memory.
const Race = true
