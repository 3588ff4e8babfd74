//go:build !linux

package pipe

import (
	"errors"
	"runtime/debug"
)

// limitMemory asks Go to keep to n bytes. Other systems than Linux do not limit what C libraries
// map.
func limitMemory(n int64) error {
	debug.SetMemoryLimit(n)
	return nil
}

// privateMemory is not known here.
func privateMemory() (int64, error) { return 0, errors.ErrUnsupported }
