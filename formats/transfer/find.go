package transfer

import (
	"fmt"

	"drx"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
	"drx/optionerr"
)

// find returns the indices at which a coordinate of DST has the values of a file's coordinate.
// These must be consecutive and in the same order, as for region="auto" of xarray. The error says
// how the values differ: whether one is absent, or the order is another.
func (o *comparer) find(a *drx.Array, f *importFile, v formats.Info) (nd.Range, error) {
	have, got, err := o.bothCoordinates(a, a.Bounds()[0], f, v)
	if err != nil {
		return nd.Range{}, err
	}
	lo := a.Bounds()[0].Lo
	if got.len() == have.len() {
		return nd.Span(lo, lo+got.len()), compareCoordinates(v.Name, a.Name(), have, got, optionerr.Text{})
	}
	if at, ok := offsetOf(have, got); ok && at >= 0 && at+got.len() <= have.len() && got.len() > 0 {
		return nd.Span(lo+at, lo+at+got.len()), nil
	}
	if got.len() == 0 { // an empty file fits anywhere
		return nd.Span(lo, lo), nil
	}
	fail := func(format string, args ...any) (nd.Range, error) {
		return nd.Range{}, errkind.Errorf(drx.ErrBounds, "coordinate %s: %s", wording.Printable(v.Name), fmt.Sprintf(format, args...))
	}
	limit := have.quarter()
	for i := range got.len() {
		if have.index(got.at(i), limit) < 0 {
			return fail("value %d is %s, which %s does not have: it has %s; append what is new", i, got.text(i), a.Name(), have.ends())
		}
	}
	if how := howOrdered(have, got); how != "" {
		return fail("%s: it has %s, %s has %s", how, got.ends(), a.Name(), have.ends())
	}
	return fail("the values %s are in %s, but not next to each other: write them one part after the other", got.ends(), a.Name())
}

// index returns the index of the first value that is the same as element, -1 if there is none. See
// same for limit.
func (v values) index(element []byte, limit float64) int {
	for i := range v.len() {
		if v.same(i, element, limit) {
			return i
		}
	}
	return -1
}
