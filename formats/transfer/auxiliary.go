package transfer

import (
	"errors"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"drx"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
)

// auxiliaries returns the names of auxiliary coordinates, as latitudes of a curvilinear grid and
// names of stations, which a variable of a file names in the attribute coordinates.
func auxiliaries(v formats.Info) []string {
	text, _ := v.Attrs["coordinates"].(string)
	return strings.Fields(text)
}

// sameAuxiliary checks that an auxiliary coordinate that does not grow has the values of that of
// DST, to the last digits of the coarser type: they say where the elements lie, as coordinates of
// dimensions do. A scalar may differ, as the time of a forecast does.
func (o *comparer) sameAuxiliary(a *drx.Array, f *importFile, v formats.Info) error {
	if o.AsStored || len(v.Shape) == 0 || !slices.Equal(v.Shape, a.Shape()) || v.Refused != "" {
		return nil
	}
	differs := func(index []int, got, want string) error {
		return errkind.Errorf(drx.ErrBounds, "coordinate %s: element %s is %s, that of %s is %s: the elements lie elsewhere; put them on the same grid, or take them as they are stored",
			wording.Printable(v.Name), wording.Ints(index), wording.Printable(got), a.Name(), wording.Printable(want))
	}
	want, err := o.valuesOf(a)
	if err != nil || want == nil {
		return err
	}
	got, err := o.valuesIn(f, v)
	if err != nil {
		return err
	}
	digits := 4 * max(lastDigits[v.DType], lastDigits[a.DType()])
	r, err := o.reader(f, v.Name)
	if err != nil {
		return err
	}
	lo, _ := a.Bounds().Bounds()
	for sec := range v.Boxes(whole(v.Shape), o.boxBytes()) {
		n, _ := sec.Len() // of a variable in the file
		theirs, here, at := make([]byte, n*v.DType.Size()), make([]byte, n*a.DType().Size()), make(nd.Section, len(sec))
		for d, r := range sec {
			at[d] = nd.Span(r.Lo+lo[d], r.Hi+lo[d])
		}
		if err := errors.Join(r.ReadSection(sec, theirs), a.ReadBytes(at, here, v.Order)); err != nil {
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

// indexOf returns the index of the element that is number i of a section in an order.
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

// valuesOf returns a function that returns what an element of an array stands for: a number, or NaN
// and a string. It is nil for an array without such values.
func (o *comparer) valuesOf(a *drx.Array) (func([]byte) (float64, string), error) {
	var known []string
	if isText, err := a.Attr(stringsAttr, &known); err != nil || isText {
		return stringOf(a.DType().Float64, known), err
	}
	m, err := Meaning(a)
	if err != nil || a.DType().IsComplex() {
		return nil, err
	}
	return func(element []byte) (float64, string) { return number(m.Value(element), m.Format(element)) }, nil
}

// valuesIn is valuesOf for a variable of a file.
func (o *comparer) valuesIn(f *importFile, v formats.Info) (func([]byte) (float64, string), error) {
	if v.Labels != nil {
		return stringOf(v.DType.Float64, v.Labels), nil
	}
	m, err := meaningOfVar(v, parentOf(f, v))
	if err != nil {
		return nil, err
	}
	return func(element []byte) (float64, string) { return number(m.Value(element), m.Format(element)) }, nil
}

// number returns a number with its text; what stands for no value has the same text everywhere.
func number(x float64, text string) (float64, string) {
	if math.IsNaN(x) {
		text = "missing"
	}
	return x, text
}

// stringOf returns a function that returns the string of an element that is its number.
func stringOf(index func([]byte) float64, known []string) func([]byte) (float64, string) {
	return func(element []byte) (float64, string) {
		if i := int(index(element)); i >= 0 && i < len(known) {
			return math.NaN(), known[i]
		}
		return math.NaN(), ""
	}
}

// sameAuxiliariesOf is sameAuxiliary for the arrays beside an array, which have the names that a
// variable of a file gives its auxiliary coordinates. Those that have the dimension that grows are
// not compared.
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
		if err := errors.Join(o.sameAuxiliary(c, f, f.content.Vars[i]), c.Close()); err != nil {
			return err
		}
	}
	return nil
}
