package metalog

import (
	"fmt"
	"runtime"
	"testing"

	"drx/internal/state"
)

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// longHistories has the kinds of records that may be numerous; each function returns record i of a
// history.
var longHistories = map[string]func(i int) state.Record{
	"other attributes":   func(i int) state.Record { return setAttr(fmt.Sprint("a", i), "1") },
	"the same attribute": func(i int) state.Record { return setAttr("a", fmt.Sprint(i)) },
	"removed again": func(i int) state.Record {
		if i%2 == 0 {
			return setAttr(fmt.Sprint("a", i), "1")
		}
		return delAttr(fmt.Sprint("a", i-1))
	},
	"attributes and extensions": func(i int) state.Record {
		if i%2 == 0 {
			return setAttr(fmt.Sprint("a", i), "1")
		}
		return high(i/2%2, 1)
	},
	"alternating extensions": func(i int) state.Record { return high(i%2, 1) },
	"growing and shrinking": func(i int) state.Record {
		if i%2 == 0 {
			return low(0, 2)
		}
		return state.Record{Shrink: &state.Shrink{Dim: 0, By: 1}}
	},
}

// Time and memory for reading a log are proportional to its lines, for all ways of reading; so are
// those for writing such a history.
func TestLongHistoriesAreNotQuadratic(t *testing.T) {
	const few, times = 2_000, 8
	logs := map[string]func(t *testing.T, s *state.State, log *Log, read func() (*state.State, *Log)){
		"ReadLog": func(_ *testing.T, _ *state.State, _ *Log, read func() (*state.State, *Log)) { read() },
		"ReadOn": func(t *testing.T, s *state.State, log *Log, _ func() (*state.State, *Log)) {
			if _, err := log.ReadOn(s, 0, nil); err != nil {
				t.Fatal(err)
			}
		},
	}
	for history, record := range longHistories {
		cost := map[string][2]uint64{}
		for i, n := range []int{few, few * times} {
			file, log := write(t, []state.Record{header([]int{1, 1}, 4, 4)})
			start, reader, err := ReadLog(file)
			if err != nil {
				t.Fatal(err)
			}
			for j := range n {
				if err := log.Append([]state.Record{record(j)}, true); err != nil {
					t.Fatal(err)
				}
			}
			seen := 0
			read := func() (*state.State, *Log) {
				s, l, err := ReadLogTo(file, 0, func(int, state.Record, *state.State) { seen++ })
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
