//go:build !linux

package drxmp

// engineFor returns the engine for the file system that a file is on.
func engineFor(string) Engine { return Direct }
