//go:build !linux

package mapped

// RAM returns 0: files are not mapped here.
func RAM() int64 { return 0 }
