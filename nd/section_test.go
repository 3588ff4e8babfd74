package nd

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestResolve(t *testing.T) {
	lo, hi := []int{-4, 0}, []int{6, 10}
	rest := Span(1, 2)
	for _, c := range []struct {
		name string
		in   Section
		want Section // nil for an error
		err  error
	}{
		{"nil is everything", nil, Sec(Range{-4, 6, 1}, Range{0, 10, 1}), nil},
		{"all", Sec(All, All), Sec(Range{-4, 6, 1}, Range{0, 10, 1}), nil},
		{"open ends", Sec(From(-1), To(3)), Sec(Range{-1, 6, 1}, Range{0, 3, 1}), nil},
		{"negative index", Sec(At(-4), At(9)), Sec(Range{-4, -3, 1}, Range{9, 10, 1}), nil},
		{"steps", Sec(All.By(3), From(1).By(20)), Sec(Range{-4, 6, 3}, Range{1, 10, 20}), nil},
		{"empty at both ends", Sec(Span(-4, -4), Span(10, 10)), Sec(Range{-4, -4, 1}, Range{10, 10, 1}), nil},
		{"empty outside", Sec(Span(7, 7), rest), nil, ErrBounds},
		{"too low", Sec(Span(-5, 0), rest), nil, ErrBounds},
		{"too high", Sec(rest, Span(0, 11)), nil, ErrBounds},
		{"index at the bound", Sec(rest, At(10)), nil, ErrBounds},
		{"reversed", Sec(Span(3, 2), rest), nil, ErrBounds},
		{"open and reversed", Sec(From(7), rest), nil, ErrBounds},
		{"negative step", Sec(All.By(-1), rest), nil, ErrBounds},
		{"too few", Sec(All), nil, ErrRank},
		{"too many", Sec(All, All, All), nil, ErrRank},
		{"none", Section{}, nil, ErrRank},
	} {
		given := slices.Clone(c.in)
		got, err := c.in.Resolve(lo, hi)
		if !errors.Is(err, c.err) || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v, %v", c.name, got, err, c.want, c.err)
		}
		if !slices.Equal(c.in, given) {
			t.Errorf("%s: the section given became %v", c.name, c.in)
		}
	}
	_, err := Sec(rest, Span(0, 11)).Resolve(lo, hi)
	if want := "dimension 1: range 0:11 reaches outside 0:10"; err == nil || err.Error() != want {
		t.Errorf("the error is %q, want %q", err, want)
	}
}

// ranges draws ranges: open or not, within the bounds [lo, hi) or not.
func ranges(lo, hi int) *rapid.Generator[Range] {
	return rapid.Custom(func(r *rapid.T) Range {
		end := rapid.OneOf(rapid.IntRange(lo-1, hi+1), rapid.IntRange(lo, hi), rapid.SampledFrom([]int{math.MinInt, math.MaxInt}))
		return Range{end.Draw(r, "lo"), end.Draw(r, "hi"), rapid.IntRange(-1, 5).Draw(r, "step")}
	})
}

// TestResolveSelects lists the indices that a range selects by trying every index.
func TestResolveSelects(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		lo := rapid.IntRange(-6, 6).Draw(r, "low bound")
		hi := lo + rapid.IntRange(0, 8).Draw(r, "extent")
		in := ranges(lo, hi).Draw(r, "range")
		first, end := in.Lo, in.Hi
		if first == math.MinInt {
			first = lo
		}
		if end == math.MaxInt {
			end = hi
		}
		good := first <= end && first >= lo && end <= hi && in.Step >= 0

		got, err := Sec(in).Resolve([]int{lo}, []int{hi})
		if good != (err == nil) || !good && !errors.Is(err, ErrBounds) {
			r.Fatalf("%#v in [%d, %d): %v, %v", in, lo, hi, got, err)
		}
		if !good {
			return
		}
		n := 0
		for i := lo; i < hi; i++ {
			if i >= first && i < end && (i-first)%max(in.Step, 1) == 0 {
				n++
			}
		}
		if length, err := got.Len(); got[0].Len() != n || err != nil || length != n {
			r.Fatalf("%#v in [%d, %d) has %d indices, %d elements (%v), want %d", in, lo, hi, got[0].Len(), length, err, n)
		}
		if again, err := got.Resolve([]int{lo}, []int{hi}); err != nil || !slices.Equal(again, got) {
			r.Fatalf("%v resolved again is %v, %v", got, again, err)
		}
	})
}

func TestSectionBounds(t *testing.T) {
	for _, c := range [][2][]int{{nil, nil}, {{-3, 0, 5}, {4, 0, 6}}} {
		if lo, hi := Box(c[0], c[1]).Bounds(); !slices.Equal(lo, c[0]) || !slices.Equal(hi, c[1]) {
			t.Errorf("bounds %v and %v, want %v", lo, hi, c)
		}
	}
}

func TestSectionShape(t *testing.T) {
	s := Sec(Span(-3, 4), At(9), Span(0, 10).By(3), Span(5, 5), Span(0, math.MaxInt).By(math.MaxInt))
	if got := s.Shape(); !slices.Equal(got, []int{7, 1, 4, 0, 1}) {
		t.Errorf("shape %v, want [7 1 4 0 1]", got)
	}
	if n, err := s.Len(); n != 0 || err != nil {
		t.Errorf("length %d, %v, want 0", n, err)
	}
	if n, err := Box([]int{0, 0}, []int{math.MaxInt, 2}).Len(); !errors.Is(err, ErrOverflow) {
		t.Errorf("length %d, %v, want an error wrapping ErrOverflow", n, err)
	}
	if n, err := (Section{}).Len(); n != 1 || err != nil {
		t.Errorf("length of rank 0 is %d, %v, want 1", n, err)
	}
	if n := Span(3, -3).Len(); n != 0 {
		t.Errorf("length of a reversed range is %d, want 0", n)
	}
}

func TestParseSection(t *testing.T) {
	for _, c := range []struct {
		text string
		want Section
	}{
		{"7", Sec(At(7))},
		{"-7", Sec(At(-7))},
		{":", Sec(All)},
		{"::", Sec(All)},
		{"::2", Sec(All.By(2))},
		{"3:", Sec(From(3))},
		{":3", Sec(To(3))},
		{"2:6,3:9:2", Sec(Span(2, 6), Span(3, 9).By(2))},
		{" 2:6 , : ,-1 ", Sec(Span(2, 6), All, At(-1))},
		{"-5:-2:1", Sec(Span(-5, -2).By(1))},
		{"6:2", Sec(Span(6, 2))}, // Resolve refuses it, as it knows the dimension
		{"", nil},
		{",", nil},
		{"1,", nil},
		{"a", nil},
		{"1.5", nil},
		{"1:2:3:4", nil},
		{"1:2:0", nil},
		{"1:2:-1", nil},
		{"1 :2", nil},
		{"9223372036854775808", nil},
		{"9223372036854775807", nil}, // no index can be the largest int
		{"-9223372036854775808", nil},
	} {
		got, err := ParseSection(c.text)
		if (c.want == nil) != (err != nil) || !slices.Equal(got, c.want) {
			t.Errorf("%q: %#v, %v, want %#v", c.text, got, err, c.want)
		}
		if err != nil && (!strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q: the error is %q", c.text, err)
		}
	}
}

// stepped sets the step of every range: a text has no difference between a step of 0 and 1.
func stepped(s Section) Section {
	s = slices.Clone(s)
	for d := range s {
		s[d].Step = s[d].Stride()
	}
	return s
}

func TestSectionTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := Section(rapid.SliceOfN(rapid.Custom(func(r *rapid.T) Range {
			return Range{anyInt.Draw(r, "lo"), anyInt.Draw(r, "hi"), max(0, anyInt.Draw(r, "step"))}
		}), 1, 5).Draw(r, "section"))
		back, err := ParseSection(s.String())
		if err != nil || !slices.Equal(stepped(back), stepped(s)) {
			r.Fatalf("%#v prints as %s, which reads as %#v (%v)", s, s, back, err)
		}
	})
}

func FuzzParseSection(f *testing.F) {
	f.Add("2:6,3:9:2")
	f.Add(":")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSection(text)
		if err != nil {
			return
		}
		back, err := ParseSection(s.String())
		if err != nil || !slices.Equal(stepped(back), stepped(s)) {
			t.Fatalf("%q is %#v and prints as %s, which reads as %#v (%v)", text, s, s, back, err)
		}
		lo, hi := make([]int, len(s)), make([]int, len(s))
		for d := range s {
			lo[d], hi[d] = -3, 5
		}
		got, err := s.Resolve(lo, hi)
		if err != nil {
			if !errors.Is(err, ErrBounds) {
				t.Fatalf("%q: %v, which is not ErrBounds", text, err)
			}
			return
		}
		for d, r := range got {
			if n := r.Len(); n < 0 || n > 8 || n > 0 && r.Lo+(n-1)*r.Step >= r.Hi || r.Lo < -3 || r.Hi > 5 || r.Step < 1 {
				t.Fatalf("%q, dimension %d: %d indices of %v", text, d, n, r)
			}
		}
	})
}
