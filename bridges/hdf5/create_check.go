//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"drx/convert"
	"drx/nd"
)

// single is the name of a variable without one.
const single = "data"

// parent returns the group that a path is in, "" for the root.
func parent(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}

// checkPath returns an error for a path with parts that HDF5 reads as something else.
func checkPath(name string) error {
	for _, part := range strings.Split(name, "/") {
		if part == "" || part == "." || strings.Contains(part, "\x00") {
			return fmt.Errorf("%q: no name for HDF5: parts between slashes must not be empty, a dot, or have zero bytes", name)
		}
	}
	return nil
}

// checkInfo returns an error for a variable that HDF5 cannot have.
func checkInfo(info *convert.Info) error {
	if _, err := info.Bytes(); err != nil {
		return err
	}
	rank := len(info.Shape)
	if rank > C.H5S_MAX_RANK {
		return fmt.Errorf("%d dimensions: HDF5 has at most %d: %w", rank, C.H5S_MAX_RANK, nd.ErrRank)
	}
	for d, at := range info.Order.Dims(rank) {
		if d != at {
			return fmt.Errorf("order %v: HDF5 is row-major: %w", info.Order, nd.ErrRank)
		}
	}
	for what, n := range map[string]int{"Dims": len(info.Dims), "Chunk": len(info.Chunk), "Unlimited": len(info.Unlimited)} {
		if n != 0 && n != rank {
			return fmt.Errorf("%s: %d for %d dimensions: %w", what, n, rank, nd.ErrRank)
		}
	}
	if n := len(info.Fill); info.Labels == nil && n != 0 && n != info.DType.Size() {
		return fmt.Errorf("fill value of %d bytes for %v: %w", n, info.DType, convert.ErrSize)
	}
	return nil
}

// nameOr returns the name of a variable without outer slashes.
func nameOr(name string) string { return cmp.Or(strings.Trim(name, "/"), single) }
