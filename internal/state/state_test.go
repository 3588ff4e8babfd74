package state_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"drx/internal/state"

	"drx/nd"
)

func TestChangesThatAreRefused(t *testing.T) {
	r := header([]int{2, 3}, 10, 12)
	r.Header.Dims = []string{"y", "x"}
	s := apply(t, []state.Record{r})
	before := *s
	for what, c := range map[string]struct {
		record state.Record
		want   error
	}{
		"second header":      {header([]int{1}, 1), state.ErrCorrupt},
		"dimension -1":       {high(-1, 1), nd.ErrRank},
		"dimension 2":        {low(2, 1), nd.ErrRank},
		"by 0":               {high(0, 0), nd.ErrBounds},
		"by -1":              {low(0, -1), nd.ErrBounds},
		"elements":           {high(0, 1<<62), nd.ErrOverflow},
		"bound high":         {high(0, math.MaxInt), nd.ErrOverflow},
		"bound low":          {low(0, math.MaxInt), nd.ErrOverflow},
		"name taken":         {addDim("y"), nd.ErrRank},
		"name":               {addDim("a\xffb"), state.ErrName},
		"attribute name":     {setAttr("\xc0", "1"), state.ErrName},
		"attribute name too": {delAttr("ok", "\xc0"), state.ErrName},
	} {
		next, err := s.Apply(c.record)
		wantError(t, err, c.want, what)
		if next != nil {
			t.Errorf("%s: a state beside the error", what)
		}
		wantState(t, s, &before, what)
	}
	for s.Grid.Rank() < nd.MaxRank {
		s = applyTo(t, s, addDim(""))
	}
	_, err := s.Apply(addDim(""))
	wantError(t, err, nd.ErrRank, "65 dimensions")
	_, err = (*state.State)(nil).Apply(high(0, 1))
	wantError(t, err, state.ErrCorrupt, "no header")
}

func TestAnOlderStateStaysAsItWas(t *testing.T) {
	s := apply(t, []state.Record{header([]int{2, 3}, 10, 12), setAttr("a", "1")})
	want := apply(t, []state.Record{header([]int{2, 3}, 10, 12), setAttr("a", "1")})
	applyTo(t, s, high(0, 5), low(1, 4), setAttr("a", "2"), delAttr("a"), addDim("t"), high(2, 3))
	wantState(t, s, want)
}

func TestAttributes(t *testing.T) {
	s := apply(t, []state.Record{header([]int{1}, 1), delAttr("a"), setAttr("a", "1"), setAttr("b", "2"), setAttr("a", "3"), delAttr("b", "c")})
	if attrs := s.Attrs.Map(); len(attrs) != 1 || string(attrs["a"]) != "3" {
		t.Errorf("attributes %s", attrs)
	}
}

// If the bounds of a dimension without elements lie inside a chunk, that chunk is the first one
// whichever side grows, and the grid does not depend on the number of extensions.
func TestGrowthFromNothingInsideAChunk(t *testing.T) {
	from := func(lo int, records ...state.Record) *state.State {
		r := header([]int{4}, 0)
		r.Header.Lo, r.Header.Hi = []int{lo}, []int{lo}
		return applyTo(t, apply(t, []state.Record{r}), records...)
	}
	for lo := -9; lo <= 9; lo++ {
		for by := 1; by <= 9; by++ {
			one, two := from(lo, high(0, by)), from(lo, slices.Repeat([]state.Record{high(0, 1)}, by)...)
			wantState(t, two, one, "high", lo, by)
			one, two = from(lo, low(0, by)), from(lo, slices.Repeat([]state.Record{low(0, 1)}, by)...)
			wantState(t, two, one, "low", lo, by)
			if want := nd.CeilDiv(lo, 4) - nd.FloorDiv(lo-by, 4); one.Grid.Shape()[0] != want {
				t.Errorf("%d chunks below %d by %d, want %d", one.Grid.Shape()[0], lo, by, want)
			}
		}
	}
}

func TestHeaderOfAState(t *testing.T) {
	r := header([]int{2, 3}, 10, 12)
	h := r.Header
	h.DType, h.Order, h.Fill, h.Dims, h.Align = "complex64", "col", json.RawMessage(`["NaN","-Infinity"]`), []string{"y", ""}, 512
	s := apply(t, []state.Record{r})
	s.Version = state.Version // of any version: a new array has the latest one
	wantState(t, apply(t, []state.Record{{Header: s.Header()}}), s)
	if s.ChunkBytes != 48 || s.Slot() != 512 || !slices.Equal(s.Strides, []int{8, 16}) {
		t.Errorf("%d bytes, slot %d, strides %v", s.ChunkBytes, s.Slot(), s.Strides)
	}
}
