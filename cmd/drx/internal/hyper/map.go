package hyper

import (
	"context"
	"fmt"
	"slices"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/dtype"
	"drx/formats"
	hyperscene "drx/hyper/scene"
	"drx/hyper/scene/file"
	"drx/nd"
)

// readMap reads a map of a scene, one value per pixel, from an array or a file of numbers or
// pixels. An array must have the bounds of the scene. A file has no indices, so only its extents
// must fit.
func readMap(name string, b hyperscene.Block, memory int64) (*hyperscene.Plane, error) {
	values, lo, shape, err := readValues(name, 2, 8*int64(b.Pixels()), memory)
	if err != nil {
		return nil, otherFile{err}
	}
	if len(shape) == 3 && shape[2] == 1 {
		shape = shape[:2]
	}
	if !slices.Equal(shape, []int{b.Lines(), b.Samples()}) {
		return nil, otherFile{fmt.Errorf("%s: a map of %s, the scene has %d x %d: want one value per line and sample", cli.Printable(name), times(shape), b.Lines(), b.Samples())}
	}
	if lo != nil && (lo[0] != b.Lo.Line || lo[1] != b.Lo.Sample) {
		return nil, otherFile{fmt.Errorf("%s: a map that begins at line %d, sample %d; the scene begins at %d, %d", cli.Printable(name), lo[0], lo[1], b.Lo.Line, b.Lo.Sample)}
	}
	p, err := hyperscene.NewPlane(b, 1)
	if err != nil {
		return nil, err
	}
	return p, p.Write(context.Background(), b, values)
}

// times returns extents as in 3 x 4.
func times(shape []int) string {
	text := ""
	for d, n := range shape {
		if d > 0 {
			text += " x "
		}
		text += fmt.Sprint(n)
	}
	return text
}

// readValues reads all elements of an array or of a file, row-major, and the low bounds of an
// array. Of a file with several variables it reads the one with rank dimensions. want is the number
// of bytes that the elements should have as float64, for the error that they do not fit in the
// memory.
func readValues(name string, rank int, want, memory int64) (values []float64, lo, shape []int, err error) {
	if want > memory {
		return nil, nil, nil, fmt.Errorf("%s: a map of the scene needs %s of memory, --memory is %s", cli.Printable(name), cli.ByteSize(want), cli.ByteSize(memory))
	}
	if isArray, err := drx.Exists(name); err != nil || isArray {
		err := arrays.With(name, false, func(a *drx.Array) error {
			if err := checkSize(a.Name(), a.Shape(), memory); err != nil {
				return err
			}
			lo, _ = cli.LowHigh(a.Bounds())
			shape = a.Shape()
			n, err := nd.Product(shape...)
			if err != nil {
				return err
			}
			buf := make([]byte, n*a.DType().Size())
			if err := a.ReadBytes(nil, buf, nd.RowMajor); err != nil {
				return err
			}
			values, err = toFloats(a.DType(), buf)
			return err
		})
		return values, lo, shape, err
	}
	o := formats.Options{Memory: memory}
	if o.Variable, err = file.Variable(name, rank, o); err != nil {
		return nil, nil, nil, err
	}
	r, err := formats.Open(name, o)
	if err != nil {
		return nil, nil, nil, err
	}
	defer r.Close()
	info := r.Info()
	if err := checkSize(name, info.Shape, memory); err != nil {
		return nil, nil, nil, err
	}
	n, err := info.Bytes()
	if err != nil {
		return nil, nil, nil, err
	}
	buf := make([]byte, n)
	if err := r.ReadSection(nil, buf); err != nil {
		return nil, nil, nil, err
	}
	if values, err = toFloats(info.DType, buf); err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", cli.Printable(name), err)
	}
	values, err = rowMajor(values, info.Shape, info.Order)
	return values, nil, info.Shape, err
}

// checkSize returns an error if the elements of a shape need more memory as float64 than is
// allowed.
func checkSize(name string, shape []int, memory int64) error {
	n, err := nd.Product(append(slices.Clone(shape), 8)...)
	if err != nil || int64(n) > memory {
		return fmt.Errorf("%s: %s values of 8 bytes do not fit in the %s of --memory", cli.Printable(name), times(shape), cli.ByteSize(memory))
	}
	return nil
}

// toFloats converts elements to float64.
func toFloats(t dtype.DType, buf []byte) ([]float64, error) {
	values := make([]float64, len(buf)/t.Size())
	to := dtype.Bytes(values)
	c, err := dtype.NewConverter(t, dtype.Float64, true, make([]byte, 8))
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		copy(to, buf)
	default:
		err = c.Apply(to, buf)
	}
	dtype.Float64.ToLittle(to) // and from it: the same swap
	return values, err
}

// rowMajor returns values in row-major order; they are dense in the given order.
func rowMajor(values []float64, shape []int, order nd.Order) ([]float64, error) {
	v, err := nd.NewView(values, shape, order)
	if err != nil || order == nil {
		return values, err
	}
	out := make([]float64, 0, len(values))
	index, low := make([]int, len(shape)), make([]int, len(shape))
	for range values {
		out = append(out, v.At(index...))
		nd.Next(index, low, shape)
	}
	return out, nil
}
