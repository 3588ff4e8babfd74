package meta

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"drx/dtype"
	"drx/nd"
)

// changed returns a good header of rank 2 after a change.
func changed(change func(h *Header)) Record {
	r := header([]int{2, 3}, 10, 12)
	change(r.Header)
	return r
}

func TestHeadersThatAreRefused(t *testing.T) {
	for what, c := range map[string]struct {
		change func(h *Header)
		want   error
	}{
		"version 0": {func(h *Header) { h.Version = 0 }, ErrCorrupt},
		"version 3": {func(h *Header) { h.Version = 3 }, ErrVersion},
		"dtype":     {func(h *Header) { h.DType = "float65" }, dtype.ErrDType},
		"no dtype":  {func(h *Header) { h.DType = "" }, dtype.ErrDType},
		"order":     {func(h *Header) { h.Order = "shell" }, ErrVersion},
		"curve too long": {func(h *Header) {
			h.DType, h.Order, h.Chunk, h.Lo, h.Hi = "uint8", "hilbert", []int{1 << 16, 1 << 15}, []int{0, 0}, []int{1, 1}
		}, nd.ErrOverflow},
		"fill":                  {func(h *Header) { h.Fill = json.RawMessage(`"red"`) }, dtype.ErrDType},
		"no fill":               {func(h *Header) { h.Fill = nil }, dtype.ErrDType},
		"rank 0":                {func(h *Header) { h.Lo, h.Hi, h.Chunk = nil, nil, nil }, nd.ErrRank},
		"rank 1 and 2":          {func(h *Header) { h.Lo = []int{0} }, nd.ErrRank},
		"chunk rank":            {func(h *Header) { h.Chunk = []int{2, 3, 4} }, nd.ErrRank},
		"names":                 {func(h *Header) { h.Dims = []string{"x"} }, nd.ErrRank},
		"same names":            {func(h *Header) { h.Dims = []string{"x", "x"} }, nd.ErrRank},
		"name no JSON can hold": {func(h *Header) { h.Dims = []string{"x", "\xff"} }, ErrName},
		"huge rank": {func(h *Header) {
			h.Lo, h.Hi, h.Chunk = make([]int, 1000), make([]int, 1000), slices.Repeat([]int{1}, 1000)
		}, nd.ErrRank},
		"negative extent":  {func(h *Header) { h.Hi[1] = -1 }, nd.ErrBounds},
		"negative chunk":   {func(h *Header) { h.Chunk[0] = -2 }, nd.ErrBounds},
		"zero chunk":       {func(h *Header) { h.Chunk[0] = 0 }, nd.ErrBounds},
		"negative align":   {func(h *Header) { h.Align = -1 }, nd.ErrBounds},
		"huge align":       {func(h *Header) { h.Align = math.MaxInt }, nd.ErrBounds},
		"huge chunk":       {func(h *Header) { h.Chunk[0] = MaxChunkBytes }, nd.ErrOverflow},
		"chunk product":    {func(h *Header) { h.Chunk = []int{math.MaxInt / 4, math.MaxInt / 4} }, nd.ErrOverflow},
		"extent":           {func(h *Header) { h.Lo[0], h.Hi[0] = math.MinInt+9, math.MaxInt-9 }, nd.ErrOverflow},
		"chunk beyond int": {func(h *Header) { h.Hi[0] = math.MaxInt }, nd.ErrOverflow},
		"chunk below int":  {func(h *Header) { h.Lo[0], h.Hi[0] = math.MinInt, math.MinInt }, nd.ErrOverflow},
		"elements":         {func(h *Header) { h.Hi = []int{1 << 40, 1 << 40} }, nd.ErrOverflow},
		"bytes":            {func(h *Header) { h.Hi = []int{1 << 31, 1 << 31} }, nd.ErrOverflow},
		"table bytes":      {func(h *Header) { h.DType, h.Chunk, h.Hi = "int8", []int{1, 1}, []int{1 << 31, 1 << 29} }, nd.ErrOverflow},
	} {
		r := changed(c.change)
		_, err := (*State)(nil).Apply(r)
		wantError(t, err, c.want, what)
		// The same from a log, where it is damage unless it is of the future.
		text, err := encodeCommit([]Record{r})
		if err != nil {
			t.Fatal(err)
		}
		if what == "name no JSON can hold" || what == "no fill" {
			continue // these cannot be written down
		}
		_, _, err = ReadLog(newFile(t, line(nil, string(text))))
		wantError(t, err, c.want, what, "in a log")
		if c.want != ErrVersion {
			wantError(t, err, ErrCorrupt, what, "in a log")
		}
	}
}

func TestChangesThatAreRefused(t *testing.T) {
	s := apply(t, []Record{changed(func(h *Header) { h.Dims = []string{"y", "x"} })})
	before := *s
	for what, c := range map[string]struct {
		record Record
		want   error
	}{
		"second header":      {header([]int{1}, 1), ErrCorrupt},
		"dimension -1":       {high(-1, 1), nd.ErrRank},
		"dimension 2":        {low(2, 1), nd.ErrRank},
		"by 0":               {high(0, 0), nd.ErrBounds},
		"by -1":              {low(0, -1), nd.ErrBounds},
		"elements":           {high(0, 1<<62), nd.ErrOverflow},
		"bound high":         {high(0, math.MaxInt), nd.ErrOverflow},
		"bound low":          {low(0, math.MaxInt), nd.ErrOverflow},
		"name taken":         {addDim("y"), nd.ErrRank},
		"name":               {addDim("a\xffb"), ErrName},
		"attribute name":     {setAttr("\xc0", "1"), ErrName},
		"attribute name too": {delAttr("ok", "\xc0"), ErrName},
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
	_, err = (*State)(nil).Apply(high(0, 1))
	wantError(t, err, ErrCorrupt, "no header")
}

func applyTo(t testing.TB, s *State, records ...Record) *State {
	t.Helper()
	for _, r := range records {
		next, err := s.Apply(r)
		if err != nil {
			t.Fatal(err)
		}
		s = next
	}
	return s
}

func TestAnOlderStateStaysAsItWas(t *testing.T) {
	s := apply(t, []Record{header([]int{2, 3}, 10, 12), setAttr("a", "1")})
	want := apply(t, []Record{header([]int{2, 3}, 10, 12), setAttr("a", "1")})
	applyTo(t, s, high(0, 5), low(1, 4), setAttr("a", "2"), delAttr("a"), addDim("t"), high(2, 3))
	wantState(t, s, want)
}

func TestAttributes(t *testing.T) {
	s := apply(t, []Record{header([]int{1}, 1), delAttr("a"), setAttr("a", "1"), setAttr("b", "2"), setAttr("a", "3"), delAttr("b", "c")})
	if attrs := s.Attrs.Map(); len(attrs) != 1 || string(attrs["a"]) != "3" {
		t.Errorf("attributes %s", attrs)
	}
}

// A dimension without elements whose bounds lie inside a chunk gets its first chunk from
// whichever side grows, and the grid does not depend on the steps taken.
func TestGrowthFromNothingInsideAChunk(t *testing.T) {
	from := func(lo int, records ...Record) *State {
		r := header([]int{4}, 0)
		r.Header.Lo, r.Header.Hi = []int{lo}, []int{lo}
		return applyTo(t, apply(t, []Record{r}), records...)
	}
	for lo := -9; lo <= 9; lo++ {
		for by := 1; by <= 9; by++ {
			one, two := from(lo, high(0, by)), from(lo, slices.Repeat([]Record{high(0, 1)}, by)...)
			wantState(t, two, one, "high", lo, by)
			one, two = from(lo, low(0, by)), from(lo, slices.Repeat([]Record{low(0, 1)}, by)...)
			wantState(t, two, one, "low", lo, by)
			if want := nd.CeilDiv(lo, 4) - nd.FloorDiv(lo-by, 4); one.Grid.Shape()[0] != want {
				t.Errorf("%d chunks below %d by %d, want %d", one.Grid.Shape()[0], lo, by, want)
			}
		}
	}
}

func TestHeaderOfAState(t *testing.T) {
	r := changed(func(h *Header) {
		h.DType, h.Order, h.Fill, h.Dims, h.Align = "complex64", "col", json.RawMessage(`["NaN","-Infinity"]`), []string{"y", ""}, 512
	})
	s := apply(t, []Record{r})
	s.Version = Version // whatever it was: a new array is of the latest
	wantState(t, apply(t, []Record{{Header: s.Header()}}), s)
	if s.ChunkBytes != 48 || s.Slot() != 512 || !slices.Equal(s.Strides, []int{8, 16}) {
		t.Errorf("%d bytes, slot %d, strides %v", s.ChunkBytes, s.Slot(), s.Strides)
	}
}
