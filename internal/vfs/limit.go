package vfs

import "math"

// MayGrowTo reports whether the file system lets a file be as long as size; true if that is not
// known. It changes nothing. For a Member the file that contains it counts.
func MayGrowTo(f File, size int64) bool {
	limited, is := Base(f).(interface{ MayGrowTo(size int64) bool })
	return !is || limited.MayGrowTo(size)
}

// MaxSize returns the length that the file system allows for a file; math.MaxInt64 if that is not
// known.
func MaxSize(f File) int64 {
	fits, limit := int64(0), int64(math.MaxInt64)
	if MayGrowTo(f, limit) {
		return limit
	}
	for limit-fits > 1 {
		middle := fits + (limit-fits)/2
		if MayGrowTo(f, middle) {
			fits = middle
		} else {
			limit = middle
		}
	}
	return fits
}
