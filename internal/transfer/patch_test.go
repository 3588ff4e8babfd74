package transfer

import (
	"testing"

	"drx/internal/plan"
	"drx/internal/state"
	"drx/internal/state/statetest"
	"drx/nd"
)

// Elements that are contiguous in a chunk form one line, along any number of dimensions.
func TestLinesAreLong(t *testing.T) {
	for _, c := range []struct {
		order state.ElementOrder
		sec   nd.Section
		lines int
		line  int
	}{
		{state.Row, nd.Sec(nd.At(1), nd.At(2), nd.Span(1, 3)), 1, 2},
		{state.Row, nd.Sec(nd.At(1), nd.Span(1, 3), nd.Span(0, 4)), 1, 8},
		{state.Row, nd.Sec(nd.Span(0, 2), nd.Span(0, 4), nd.Span(0, 4)), 1, 32},
		{state.Row, nd.Sec(nd.Span(0, 2), nd.Span(0, 3), nd.Span(0, 4)), 2, 12},
		{state.Row, nd.Sec(nd.Span(0, 2), nd.Span(0, 3), nd.Span(0, 3)), 6, 3},
		{state.Row, nd.Sec(nd.At(0), nd.At(0), nd.Span(0, 4).By(2)), 2, 1},
		{state.Col, nd.Sec(nd.Span(0, 4), nd.Span(0, 2), nd.At(0)), 1, 8},
		{state.Col, nd.Sec(nd.At(1), nd.Span(0, 2), nd.Span(1, 4)), 6, 1},
		{state.Row, nd.Sec(nd.At(1), nd.At(1), nd.At(1)), 1, 1},
	} {
		header := statetest.Header([]int{4, 4, 4}, 8, 4, 4)
		header.Header.DType, header.Header.Order = "uint16", string(c.order)
		sec, err := plan.NewSection(statetest.Apply(t, []state.Record{header}), c.sec, nil)
		if err != nil {
			t.Fatal(err)
		}
		j := &job{Section: sec}
		err = sec.Each(plan.Single, func(list *plan.List) error {
			if l := j.linesOf(&list.Group(0)[0]); l.count() != c.lines || l.line != 2*c.line || list.Groups() != 1 {
				t.Errorf("%v in %s order: %d lines of %d bytes, want %d of %d", c.sec, c.order, l.count(), l.line, c.lines, 2*c.line)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
