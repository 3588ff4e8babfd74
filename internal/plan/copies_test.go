package plan

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/axial"
	"drx/internal/state"
	"drx/internal/state/statetest"
	"drx/nd"
)

// grown returns a state of rank 2 with a random history.
func grown(t *testing.T, rng *rand.Rand) *state.State {
	t.Helper()
	commits := [][]state.Record{{statetest.Header([]int{1 + rng.IntN(4), 1 + rng.IntN(4)}, 1+rng.IntN(9), 1+rng.IntN(9))}}
	for range rng.IntN(6) {
		r := statetest.High(rng.IntN(2), 1+rng.IntN(6))
		if rng.IntN(2) == 0 {
			r = statetest.Low(rng.IntN(2), 1+rng.IntN(6))
		}
		commits = append(commits, []state.Record{r})
	}
	return statetest.Apply(t, commits...)
}

// The copies of a section move each of its elements once, between its byte in the chunk, according
// to Locate, and its byte in the buffer, according to the strides. The groups contain all copies,
// in order.
func TestCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 300 {
		s := grown(t, rng)
		sec := make(nd.Section, 2)
		for d := range sec {
			lo := s.Lo[d] + rng.IntN(s.Hi[d]-s.Lo[d])
			sec[d] = nd.Range{Lo: lo, Hi: lo + 1 + rng.IntN(s.Hi[d]-lo), Step: 1 + rng.IntN(3)}
		}
		section, err := NewSection(s, sec, nd.ColMajor(2))
		if err != nil {
			t.Fatal(err)
		}
		type address struct {
			chunk axial.Number
			byte  int
		}
		want, got := map[int]address{}, map[int]address{}
		shape := sec.Shape()
		for i := range shape[0] {
			for j := range shape[1] {
				q, within, ok := Locate(s, []int{sec[0].Lo + i*sec[0].Step, sec[1].Lo + j*sec[1].Step}, make([]int, 2))
				if !ok {
					t.Fatal("not located")
				}
				want[8*(i+j*shape[0])] = address{q, within}
			}
		}
		last := axial.Number(-1)
		limit, bytes := 1+rng.IntN(4), 1+rng.IntN(100)
		err = section.Each(Batches(limit, bytes), func(l *List) error {
			for i := range l.Groups() {
				group, size := l.Group(i), 0
				for _, c := range group {
					if c.Chunk <= last {
						t.Fatalf("chunk %d after %d", c.Chunk, last)
					}
					last, size = c.Chunk, size+c.Bytes
					if one, ok := section.Of(c.Chunk); !ok || one.At != c.At || one.From != c.From || one.Bytes != c.Bytes || one.Whole != c.Whole || !slices.Equal(one.Box.Shape, c.Box.Shape) {
						t.Fatalf("chunk %d alone: %+v, want %+v", c.Chunk, one, c)
					}
					for x := range c.Box.Shape[0] {
						for y := range c.Box.Shape[1] {
							at := c.At + x*section.Strides[0] + y*section.Strides[1]
							if _, twice := got[at]; twice {
								t.Fatalf("byte %d twice", at)
							}
							got[at] = address{c.Chunk, s.Offset(c.Box.First + x*c.Box.Steps[0] + y*c.Box.Steps[1])}
						}
					}
				}
				if len(group) == 0 || len(group) > limit || len(group) > 1 && size > bytes {
					t.Fatalf("a group of %d copies, %d bytes, with limits %d and %d", len(group), size, limit, bytes)
				}
			}
			return nil
		})
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d elements, want %d, %v", len(got), len(want), err)
		}
		for at, a := range want {
			if got[at] != a {
				t.Fatalf("byte %d: %v, want %v", at, got[at], a)
			}
		}
		for q := range s.Grid.Chunks() {
			_, ok := section.Of(q)
			if touched := slices.ContainsFunc(slices.Collect(maps.Values(want)), func(a address) bool { return a.chunk == q }); ok != touched {
				t.Fatalf("chunk %d: a copy %v, elements %v", q, ok, touched)
			}
		}
	}
}

// Runs groups whole chunks with consecutive numbers, up to the limit.
func TestRuns(t *testing.T) {
	s := statetest.Apply(t, []state.Record{statetest.Header([]int{2, 2}, 8, 8)})
	section, err := NewSection(s, nd.Sec(nd.Span(1, 8), nd.All), nil)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	err = section.Each(Runs(3), func(l *List) error {
		for i := range l.Groups() {
			group := l.Group(i)
			sizes = append(sizes, len(group))
			for k := range group {
				if len(group) > 1 && (!group[k].Whole || group[k].Chunk != group[0].Chunk+axial.Number(k)) {
					t.Errorf("a run with %+v", group[k])
				}
			}
		}
		return nil
	})
	if want := []int{1, 1, 1, 1, 3, 3, 3, 3}; err != nil || !slices.Equal(sizes, want) {
		t.Errorf("runs of %v, want %v, %v", sizes, want, err)
	}
}
