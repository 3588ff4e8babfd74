//go:build !amd64

package crc32c

// extend is Register for long strings.
func extend(register uint32, b []byte) uint32 { return extendInSteps(register, b) }
