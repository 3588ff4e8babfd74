//go:build race

package states

const race = true
