package transfer

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"drx"
	"drx/dataset/cftime"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
)

// auxiliaries returns the names in a variable's attribute coordinates: auxiliary coordinates, such
// as latitudes of a curvilinear grid or names of stations.
func auxiliaries(v formats.Info) []string {
	text, _ := v.Attrs["coordinates"].(string)
	return strings.Fields(text)
}

// sameAuxiliary checks that an auxiliary coordinate that does not grow has the same values as in
// DST, up to the last digits of the coarser type. Like the coordinates of dimensions it locates the
// elements. Scalars, such as a height, are compared as well, except for times and periods: these
// differ from file to file in forecasts.
func (o *comparer) sameAuxiliary(a *drx.Array, f *importFile, v formats.Info) error {
	scalar := len(v.Shape) == 0
	elements, _ := nd.Product(a.Shape()...)
	if o.AsStored || v.Refused != "" || scalar && (elements != 1 || isPeriod(v)) || !scalar && !slices.Equal(v.Shape, a.Shape()) {
		return nil
	}
	return o.sameElements(a, f, v)
}

// sameElements checks that a variable of a file has the values of an array of the same size.
func (o *comparer) sameElements(a *drx.Array, f *importFile, v formats.Info) error {
	scalar := len(v.Shape) == 0
	differs := func(index []int, got, want string) error {
		at := "element " + wording.Ints(index)
		if scalar {
			at = "its value"
		}
		return errkind.Errorf(drx.ErrBounds, "coordinate %s: %s is %s, that of %s is %s: the elements lie elsewhere; put them on the same grid, or take them as they are stored",
			wording.Printable(v.Name), at, wording.Printable(got), a.Name(), wording.Printable(want))
	}
	want, err := o.valuesOf(a)
	if err != nil {
		return err
	}
	got, err := o.valuesIn(a, f, v)
	if err != nil {
		return fmt.Errorf("coordinate %s: %w", wording.Printable(v.Name), err)
	}
	digits := 4 * max(lastDigits[v.DType], lastDigits[a.DType()])
	r, err := o.files.reader(f, v.Name)
	if err != nil {
		return err
	}
	lo, _ := a.Bounds().Bounds()
	for sec := range v.Boxes(whole(v.Shape), o.boxBytes()) {
		n, _ := sec.Len() // a section of a listed variable: no overflow
		theirs, here, at := make([]byte, n*v.DType.Size()), make([]byte, n*a.DType().Size()), make(nd.Section, len(sec))
		for d, r := range sec {
			at[d] = nd.Span(r.Lo+lo[d], r.Hi+lo[d])
		}
		order := v.Order
		if scalar {
			at, order = nil, nil // nil is all of the array, which has one element
		}
		if err := errors.Join(r.ReadSection(sec, theirs), a.ReadBytes(at, here, order)); err != nil {
			return errors.Join(err, r.Close())
		}
		for i := range n {
			x, xText := got(theirs[i*v.DType.Size():][:v.DType.Size()])
			y, yText := want(here[i*a.DType().Size():][:a.DType().Size()])
			same := math.Abs(x-y) <= digits*max(math.Abs(x), math.Abs(y)) || math.IsNaN(x) && math.IsNaN(y) && xText == yText
			if !same {
				return errors.Join(differs(indexOf(sec, v.Order, i), xText, yText), r.Close())
			}
		}
	}
	return r.Close()
}

// indexOf returns the index of the i-th element of a section whose elements come in the given
// order.
func indexOf(sec nd.Section, order nd.Order, i int) []int {
	index := make([]int, len(sec))
	dims := order.Dims(len(sec))
	for k := len(dims) - 1; k >= 0; k-- {
		n := sec[dims[k]].Len()
		index[dims[k]] = sec[dims[k]].Lo + i%n
		i /= n
	}
	return index
}

// valuesOf returns a function that decodes an element of an array: to a number with its text, or to
// NaN and a string.
func (o *comparer) valuesOf(a *drx.Array) (func([]byte) (float64, string), error) {
	var known []string
	if isText, err := a.Attr(stringsAttr, &known); err != nil || isText {
		return stringOf(a.DType().Float64, known), err
	}
	if a.DType().IsComplex() {
		return textOfComplex(a.DType()), nil
	}
	m, err := Meaning(a)
	if err != nil {
		return nil, err
	}
	return func(element []byte) (float64, string) { return number(m.Value(element), m.Format(element)) }, nil
}

// valuesIn is valuesOf for a variable of a file; its numbers are converted to the units of an
// array.
func (o *comparer) valuesIn(a *drx.Array, f *importFile, v formats.Info) (func([]byte) (float64, string), error) {
	if v.Labels != nil {
		return stringOf(v.DType.Float64, v.Labels), nil
	}
	if v.DType.IsComplex() {
		return textOfComplex(v.DType), nil
	}
	m, err := meaningOfVar(v, parentOf(f, v))
	if err != nil {
		return nil, err
	}
	to, err := Meaning(a)
	if err != nil {
		return nil, err
	}
	plain := *to // unpacked float64, as the type and the packing of the array may round
	plain.Type, plain.Scale, plain.Offset, plain.Missing, plain.Fill = dtype.Float64, nil, nil, nil, nil
	c, err := compare(a.Name(), m, &plain, meaning.Nearest)
	if err != nil {
		return nil, err
	}
	units := ""
	if m.Times == nil && m.Units != to.Units {
		units = " " + m.Units
	}
	return func(element []byte) (float64, string) {
		converted := element
		if c != nil {
			converted, err = c.Apply(slices.Clone(element))
		}
		if err != nil { // a time that the array's units cannot express
			return math.NaN(), m.Format(element)
		}
		return number(dtype.Float64.Float64(converted), m.Format(element)+units)
	}, nil
}

// textOfComplex returns a function that returns complex numbers as strings.
func textOfComplex(t dtype.DType) func([]byte) (float64, string) {
	return func(element []byte) (float64, string) { return math.NaN(), t.Format(element) }
}

// isPeriod reports whether a variable holds times or lengths of time.
func isPeriod(v formats.Info) bool {
	m, err := meaningOfVar(v, nil)
	if err != nil || v.Labels != nil {
		return false
	}
	_, err = meaning.Compare(&meaning.Meaning{Type: dtype.Float64, Units: m.Units}, &meaning.Meaning{Type: dtype.Float64, Units: "s"}, meaning.Exact)
	return m.Times != nil || cftime.IsTime(m.Units) || err == nil
}

// number returns a number with its text. All missing values have the same text, whatever marks
// them, so that they compare equal.
func number(x float64, text string) (float64, string) {
	if math.IsNaN(x) {
		text = "missing"
	}
	return x, text
}

// stringOf returns a function that decodes an element by using it as an index into known.
func stringOf(index func([]byte) float64, known []string) func([]byte) (float64, string) {
	return func(element []byte) (float64, string) {
		if i := int(index(element)); i >= 0 && i < len(known) {
			return math.NaN(), known[i]
		}
		return math.NaN(), ""
	}
}

// sameAuxiliariesOf calls sameAuxiliary for each auxiliary coordinate of a variable of a file and
// the array of that name in the folder of a. It skips auxiliary coordinates that have the dimension
// grows.
func (o *comparer) sameAuxiliariesOf(a *drx.Array, f *importFile, v formats.Info, grows string) error {
	for _, name := range auxiliaries(v) {
		i := slices.IndexFunc(f.content.Vars, func(c formats.Info) bool { return c.Name == path.Join(path.Dir(v.Name), name) })
		if i < 0 || name != filepath.Base(name) || grows != "" && slices.Contains(ownDims(f.content.Vars[i]), grows) {
			continue
		}
		c, err := drx.Open(filepath.Join(filepath.Dir(a.Name()), name), drx.Options{})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = o.sameAuxiliary(c, f, f.content.Vars[i])
		if err == nil && len(f.content.Vars[i].Shape) == 0 && isPeriod(f.content.Vars[i]) {
			err = o.noteDifference(c, f, f.content.Vars[i])
		}
		if err := errors.Join(err, c.Close()); err != nil {
			return err
		}
	}
	return nil
}
