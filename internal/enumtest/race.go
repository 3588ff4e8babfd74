//go:build race

package enumtest

const race = true
