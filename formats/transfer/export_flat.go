package transfer

import (
	"slices"

	"drx/formats"
	"drx/nd"
)

// flat returns a variable without its dimensions of extent one, for formats of few dimensions, so
// that a table of a single time is written as a table. ok is false if there are no such dimensions
// or the variable is not row-major.
func flat(v formats.Info) (without formats.Info, ok bool) {
	without = v
	without.Shape, without.Dims, without.Unlimited, without.Chunk = nil, nil, nil, nil
	for d, n := range v.Shape {
		if n == 1 {
			continue
		}
		without.Shape = append(without.Shape, n)
		if v.Dims != nil {
			without.Dims = append(without.Dims, v.Dims[d])
		}
	}
	return without, len(without.Shape) < len(v.Shape) && len(without.Shape) > 0 && v.Order == nil
}

// A flatWriter writes a variable with more dimensions than its file has; see flat.
type flatWriter struct {
	formats.Writer
	shape []int // with the dimensions of extent one
}

// WriteSection implements formats.Writer.
func (w flatWriter) WriteSection(sec nd.Section, buf []byte) error {
	if sec == nil {
		return w.Writer.WriteSection(nil, buf)
	}
	kept := slices.Clone(sec)[:0]
	for d, r := range sec {
		if w.shape[d] != 1 {
			kept = append(kept, r)
		}
	}
	return w.Writer.WriteSection(kept, buf)
}
