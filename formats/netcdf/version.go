//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"math"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
)

// version returns the mode in which the library creates the file: the wanted one, or an error if
// the file cannot have it.
func (p *fileDef) version(want C.int) (C.int, error) {
	switch {
	case want == 0 && p.wide:
		return C.NC_64BIT_DATA, nil
	case want == 0:
		return C.NC_64BIT_OFFSET, nil
	case want == C.NC_CLASSIC_MODEL || want == C.NC_64BIT_OFFSET:
		number := map[bool]int{true: 1, false: 2}[want == C.NC_CLASSIC_MODEL]
		if p.wide {
			return 0, errkind.Errorf(formats.ErrType, "unsigned and 64-bit integers, extents above %d and variables above 4 GiB need version 5, not %d: write it as cdf5, or as netcdf3, which chooses",
				math.MaxInt32, number)
		}
		if want == C.NC_CLASSIC_MODEL {
			return 0, p.checkOffsets()
		}
	}
	return want, nil
}

// checkOffsets returns an error if the variables do not fit a file of version 1, whose offsets have
// 31 bits.
func (p *fileDef) checkOffsets() error {
	total := int64(0)
	for _, v := range p.vars {
		total += cformat.Multiply(int64(max(1, v.info.DType.Size(), v.width)), v.info.Shape...)
		if total < 0 || total > math.MaxInt32 {
			return errkind.Errorf(formats.ErrSize, "%s: the variables have more than %d bytes, the limit of version 1: write it as cdf2, or as netcdf3, which chooses", v.path, math.MaxInt32)
		}
	}
	return nil
}
