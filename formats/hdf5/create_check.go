//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"cmp"
	"fmt"
	"strings"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
	"drx/nd"
)

// single is the name given to a variable without a name.
const single = "data"

// checkPath returns an error for a path with components that HDF5 interprets in another way.
func checkPath(name string) error {
	for _, part := range strings.Split(name, "/") {
		if part == "" || part == "." || strings.Contains(part, "\x00") {
			return fmt.Errorf("%q: no name for HDF5: parts between slashes must not be empty, a dot, or have zero bytes", name)
		}
	}
	return nil
}

// checkInfo returns an error for a variable that HDF5 cannot store.
func checkInfo(info *formats.Info) error {
	if rank := len(info.Shape); rank > C.H5S_MAX_RANK {
		return errkind.Errorf(nd.ErrRank, "%d dimensions: HDF5 has at most %d", rank, C.H5S_MAX_RANK)
	}
	return cmp.Or(cformat.CheckInfo(info, "HDF5"), cformat.CheckStrings(info.Labels, "HDF5"))
}

// nameOr returns the name of a variable without outer slashes.
func nameOr(name string) string { return cmp.Or(strings.Trim(name, "/"), single) }
