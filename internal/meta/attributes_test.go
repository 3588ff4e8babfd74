package meta

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Attributes after random changes are what a map would be, also those that others were made of.
func TestAttributesAreAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	type version struct {
		attrs Attributes
		want  map[string]json.RawMessage
	}
	all := []version{{want: map[string]json.RawMessage{}}}
	for range 2000 {
		v := all[max(0, len(all)-1-rng.IntN(3))]
		want := maps.Clone(v.want)
		switch name := fmt.Sprint(rng.IntN(60)); rng.IntN(3) {
		case 0:
			other := fmt.Sprint(rng.IntN(60))
			v.attrs = v.attrs.without([]string{name, other})
			delete(want, name)
			delete(want, other)
		default:
			set := map[string]json.RawMessage{name: json.RawMessage(fmt.Sprint(len(all)))}
			v.attrs = v.attrs.with(set)
			maps.Copy(want, set)
		}
		all = append(all, version{v.attrs, want})
	}
	for i, v := range all {
		if diff := cmp.Diff(v.want, v.attrs.Map()); diff != "" {
			t.Fatalf("after %d changes (-want +got):\n%s", i, diff)
		}
		for n := range 60 {
			name := fmt.Sprint(n)
			if _, want := v.want[name]; v.attrs.Has(name) != want {
				t.Fatalf("after %d changes: has %q is %v, want %v", i, name, !want, want)
			}
		}
	}
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// longHistories are records of every kind that there may be many of, the number i of each history.
var longHistories = map[string]func(i int) Record{
	"other attributes":   func(i int) Record { return setAttr(fmt.Sprint("a", i), "1") },
	"the same attribute": func(i int) Record { return setAttr("a", fmt.Sprint(i)) },
	"removed again": func(i int) Record {
		if i%2 == 0 {
			return setAttr(fmt.Sprint("a", i), "1")
		}
		return delAttr(fmt.Sprint("a", i-1))
	},
	"attributes and extensions": func(i int) Record {
		if i%2 == 0 {
			return setAttr(fmt.Sprint("a", i), "1")
		}
		return high(i/2%2, 1)
	},
	"alternating extensions": func(i int) Record { return high(i%2, 1) },
	"growing and shrinking": func(i int) Record {
		if i%2 == 0 {
			return low(0, 2)
		}
		return Record{Shrink: &Shrink{Dim: 0, By: 1}}
	},
}

// What it takes to read a long log grows with its lines, no faster, in whatever way it is read; so does
// what it takes to make such a history.
func TestLongHistoriesAreNotQuadratic(t *testing.T) {
	const few, times = 2_000, 8
	logs := map[string]func(t *testing.T, state *State, log *Log, read func() (*State, *Log)){
		"ReadLog": func(_ *testing.T, _ *State, _ *Log, read func() (*State, *Log)) { read() },
		"ReadOn": func(t *testing.T, state *State, log *Log, _ func() (*State, *Log)) {
			if _, err := log.ReadOn(state, 0, nil); err != nil {
				t.Fatal(err)
			}
		},
	}
	for history, record := range longHistories {
		cost := map[string][2]uint64{}
		for i, n := range []int{few, few * times} {
			file, log := write(t, []Record{header([]int{1, 1}, 4, 4)})
			start, reader, err := ReadLog(file)
			if err != nil {
				t.Fatal(err)
			}
			for j := range n {
				if err := log.Append([]Record{record(j)}); err != nil {
					t.Fatal(err)
				}
			}
			seen := 0
			read := func() (*State, *Log) {
				s, l, err := ReadLogTo(file, 0, func(int, Record, *State) { seen++ })
				if err != nil {
					t.Fatal(err)
				}
				return s, l
			}
			for name, f := range logs {
				c := cost[name]
				c[i] = allocated(func() { f(t, start, reader, read) })
				cost[name] = c
			}
			if seen != n+1 {
				t.Errorf("%s: %d records seen of %d", history, seen, n+1)
			}
			c := cost["Apply"]
			c[i] = allocated(func() {
				s := start
				for j := range n {
					if s, err = s.Apply(record(j)); err != nil {
						t.Fatal(err)
					}
				}
			})
			cost["Apply"] = c
		}
		for name, c := range cost {
			if c[1] > 3*times/2*c[0] {
				t.Errorf("%s: %s of %d records takes %d bytes, of %d times as many %d", history, name, few, c[0], times, c[1])
			}
		}
	}
}
