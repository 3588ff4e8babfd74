//go:build hdf5 && cgo

package hdf5

import "testing"

func TestDamagedFrames(t *testing.T) { bridge.DamagedFrames(t, "testdata/damaged.py", "a.h5") }
