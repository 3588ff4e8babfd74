package transfer

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"drx"
	"drx/dataset/meaning"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
	"drx/optionerr"
)

// compare makes the comparisons of a plan, in their order.
func (o *comparer) compare(t *target, p *appendPlan) error {
	for _, c := range p.comparisons {
		a, err := t.array(c.path)
		if err != nil {
			return err
		}
		switch c.kind {
		case coordinateValues:
			err = o.sameCoordinate(a, p.file, c.info)
		case auxiliaryValues:
			err = o.sameAuxiliary(a, p.file, c.info)
		case labelsOfIndices:
			err = o.sameLabels(a, p.file, c.info, c.dim, c.own, c.part)
		case otherValues:
			err = o.noteDifference(a, p.file, c.info)
		case onlyNote:
			o.printNote(c.about, c.note)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// printNote prints a note, unless there was one about the same subject.
func (o *comparer) printNote(about, note string) {
	if note == "" || o.Note == nil || o.noted[about] {
		return
	}
	if o.noted == nil {
		o.noted = map[string]bool{}
	}
	o.noted[about] = true
	o.Note(note)
}

// noteValid prints validNote.
func (o *comparer) noteValid(a arrayHeader, of *arrayHeader, file string, v formats.Info, parent *formats.Info) error {
	about := aboutValid(v)
	if o.Note == nil || o.noted[about] {
		return nil
	}
	note, err := o.validNote(a, of, file, v, parent)
	o.printNote(about, note)
	return err
}

// conversionNow is conversion for a coordinate that the caller converts and compares at once. It
// prints the note.
func (o *comparer) conversionNow(a *drx.Array, f *importFile, v formats.Info) (conversion, error) {
	c, err := o.conversion(headerOf(a), o.into, f, v, true)
	o.printNote(v.Name, c.note)
	return c, err
}

// notedBytes is the largest size, in bytes, of a variable whose elements noteDifference compares
// with those of DST.
const notedBytes = 4096

// noteDifference prints a note if a variable that neither grows nor is a coordinate differs from
// that of DST. It does so once, for the first such file. DST keeps its elements.
func (o *comparer) noteDifference(a *drx.Array, f *importFile, v formats.Info) error {
	if n, err := v.Bytes(); err != nil || n > notedBytes || o.noted[v.Name] {
		return nil
	}
	elements, _ := nd.Product(a.Shape()...)
	if len(v.Shape) == 0 && elements == 1 || slices.Equal(v.Shape, a.Shape()) {
		err := o.sameElements(a, f, v)
		if !errors.Is(err, drx.ErrBounds) && !errors.Is(err, meaning.ErrRefused) {
			return err
		}
	}
	if o.noted == nil {
		o.noted = map[string]bool{}
	}
	o.noted[v.Name] = true
	if o.Note != nil {
		along := ""
		if o.Append != "" {
			along = "does not grow along " + wording.Printable(o.Append) + " and "
		}
		o.Note(fmt.Sprintf("%s: %s has other values; it %skeeps its own", wording.Printable(a.Name()), f.name, along))
	}
	return nil
}

// bothCoordinates returns part of a coordinate of DST, and the file's coordinate converted to the
// same type, for comparison. Their digits field tells same how precise the coarser of both is.
func (o *comparer) bothCoordinates(a *drx.Array, part nd.Range, f *importFile, v formats.Info) (have, got values, err error) {
	conv, err := o.comparable(a, f, v)
	if err != nil {
		return have, got, fmt.Errorf("coordinate %s: %w", wording.Printable(v.Name), err)
	}
	if have.m, err = Meaning(a); err != nil {
		return have, got, err
	}
	if v.DType.IsFloat() && a.DType().IsFloat() {
		have.digits = max(lastDigits[v.DType], lastDigits[a.DType()])
	}
	got = have
	elements, err := o.files.readWhole(f, v)
	if err != nil {
		return have, got, err
	}
	if got.elements, err = conv.apply(elements); err != nil {
		return have, got, fmt.Errorf("coordinate %s: %w", wording.Printable(v.Name), err)
	}
	have.elements = make([]byte, part.Len()*a.DType().Size())
	return have, got, a.ReadBytes(nd.Section{part}, have.elements, nil)
}

// comparable returns the conversion of a file's coordinate to the type and units of the array's,
// for a comparison. Floating-point types may differ.
func (o *comparer) comparable(a *drx.Array, f *importFile, v formats.Info) (c conversion, err error) {
	if v.DType == a.DType() || !v.DType.IsFloat() || !a.DType().IsFloat() || o.Unscale {
		return o.conversionNow(a, f, v)
	}
	from, err := meaningOfVar(v, nil)
	if err != nil {
		return c, err
	}
	to, err := Meaning(a)
	if err != nil {
		return c, err
	}
	between, err := compare(a.Name(), from, to, meaning.Nearest)
	if between != nil {
		c.add(a.DType(), between.Apply)
		o.printNote(v.Name, conversionNote(a.Name(), f, between))
	}
	return c, err
}

// sameCoordinate checks that a coordinate that does not grow equals that of DST.
func (o *comparer) sameCoordinate(a *drx.Array, f *importFile, v formats.Info) error {
	return o.sameValues(a, a.Bounds()[0], f, v, textf("; %v lets %s grow to hold both", option("widen"), o.dst))
}

// sameValues checks that a coordinate of a file has the values of part of a coordinate of DST.
// widen is a hint that ends the error if the two have values in common.
func (o *comparer) sameValues(a *drx.Array, part nd.Range, f *importFile, v formats.Info, widen optionerr.Text) error {
	want, got, err := o.bothCoordinates(a, part, f, v)
	if err != nil {
		return err
	}
	if _, common := offsetOf(want, got); !common || isPermuted(want, got) {
		widen = orderHint(want, got, o.dst)
	}
	return compareCoordinates(v.Name, a.Name(), want, got, widen)
}

// orderHint says what to do if got has the values of want in another order; otherwise it is empty.
func orderHint(want, got values, name string) (hint optionerr.Text) {
	if isPermuted(want, got) {
		hint = textf("; put the file in the order of %s first", name)
	}
	return hint
}

// samePart is sameValues for the file's values from position first on.
func (o *comparer) samePart(a *drx.Array, part nd.Range, f *importFile, v formats.Info, first int) error {
	want, got, err := o.bothCoordinates(a, part, f, v)
	if err != nil {
		return err
	}
	got.elements = got.elements[first*got.m.Type.Size():][:len(want.elements)]
	for i := range want.len() { // an index without a value may get any
		if want.isMissing(i) {
			copy(want.at(i), got.at(i))
		}
	}
	return compareCoordinates(v.Name, a.Name(), want, got, optionerr.Text{})
}

// compareCoordinates returns an error that says how the values of a coordinate of a file differ
// from those of an array.
func compareCoordinates(name, array string, want, got values, hint optionerr.Text) error {
	if got.len() != want.len() {
		return errkind.Of(drx.ErrBounds, errorf("coordinate %s: has %d values, %s has %d%v", wording.Printable(name), got.len(), array, want.len(), hint))
	}
	limit := want.quarter()
	for i := range want.len() {
		if !want.same(i, got.at(i), limit) {
			return errkind.Of(drx.ErrBounds, errorf("coordinate %s: %svalue %d is %s, that of %s is %s%v", wording.Printable(name), howDifferent(want, got),
				i, got.text(i), array, want.text(i), hint))
		}
	}
	return nil
}

// howDifferent describes in words how two lists of equal length differ, such as that one is
// reversed; "" if no words fit.
func howDifferent(want, got values) string {
	n, limit := want.len(), want.quarter()
	number := func(v values, i int) float64 { return v.m.Value(v.at(i)) }
	reversed, shifted := n > 1, n > 1
	by := number(got, 0) - number(want, 0)
	step := math.Abs(number(want, n-1)-number(want, 0)) / float64(max(1, n-1))
	for i := range n {
		reversed = reversed && want.same(n-1-i, got.at(i), limit)
		shifted = shifted && math.Abs(number(got, i)-number(want, i)-by) <= 1e-4*step
	}
	switch {
	case reversed:
		return "is reversed: "
	case isPermuted(want, got):
		return "is permuted: "
	case shifted && want.m.Times != nil:
		return "is shifted: "
	case shifted:
		return fmt.Sprintf("is shifted by %.7g: ", by)
	}
	return ""
}

// isPermuted reports whether two lists have the same values in another order.
func isPermuted(want, got values) bool {
	sorted := func(v values) []int {
		order := make([]int, v.len())
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, k int) int { return v.m.Order(v.at(i), v.at(k)) })
		return order
	}
	w, g := sorted(want), sorted(got)
	if len(w) != len(g) {
		return false
	}
	limit := want.quarter()
	for i := range w {
		if !want.same(w[i], got.at(g[i]), limit) {
			return false
		}
	}
	return true
}
