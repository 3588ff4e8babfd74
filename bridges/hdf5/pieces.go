//go:build hdf5 && cgo

package hdf5

import (
	"errors"
	"slices"

	"drx/nd"
)

// pieceBytes is about how much memory a piece of a section takes that is converted here.
const pieceBytes = 1 << 20

var errClosed = errors.New("is closed")

// pieces calls f with boxes that make up a section, in row-major order, each of at most most elements that
// follow each other in the order of the section; at is the number of elements before. most is at least 1.
func pieces(sec nd.Section, most int, f func(box nd.Section, at int) error) error {
	d := 0 // the boxes span the dimensions after it whole, and a part of it
	for inner := count(sec); d < len(sec) && inner > most; d++ {
		inner /= sec[d].Len()
		if inner <= most {
			break
		}
	}
	if d == len(sec) || count(sec) == 0 {
		return f(sec, 0)
	}
	inner := count(sec[d+1:])
	step, at := max(1, most/inner), 0
	box := slices.Clone(sec)
	for i := range d {
		box[i] = nd.Span(sec[i].Lo, sec[i].Lo+1)
	}
	for {
		for lo := sec[d].Lo; lo < sec[d].Hi; lo += step {
			box[d] = nd.Span(lo, min(lo+step, sec[d].Hi))
			if err := f(slices.Clone(box), at); err != nil {
				return err
			}
			at += count(box)
		}
		if !advance(box[:d], sec) {
			return nil
		}
	}
}

// advance moves single indices to the next ones within sec, the last dimension first. It is false after the last ones.
func advance(at, sec nd.Section) bool {
	for d := len(at) - 1; d >= 0; d-- {
		if at[d].Hi < sec[d].Hi {
			at[d] = nd.Span(at[d].Lo+1, at[d].Hi+1)
			return true
		}
		at[d] = nd.Span(sec[d].Lo, sec[d].Lo+1)
	}
	return false
}

// count returns the number of elements of a section, which was checked to fit an int.
func count(sec nd.Section) int {
	n := 1
	for _, s := range sec {
		n *= s.Len()
	}
	return n
}
