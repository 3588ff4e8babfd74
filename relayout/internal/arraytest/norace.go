//go:build !race

package arraytest

// Race reports whether the race detector is on, under which programs take several times the
// time and memory.
const Race = false
