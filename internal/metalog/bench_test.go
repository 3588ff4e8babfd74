package metalog

import (
	"runtime"
	"testing"

	"drx/internal/state"
)

// alternating is n extensions, each of which interrupts the one before.
func alternating(n int) []state.Record {
	records := make([]state.Record, n)
	for i := range records {
		records[i] = high(i%2, 1)
	}
	return records
}

// The memory of a replay is proportional to the number of expansions.
func TestReplayIsLean(t *testing.T) {
	const n = 20_000
	file, _ := write(t, []state.Record{header([]int{1, 1}, 1, 1)}, alternating(n))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := ReadLog(file); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / n; each > 3000 {
		t.Errorf("%d bytes allocated per record", each)
	}
	if each := (after.Mallocs - before.Mallocs) / n; each > 20 {
		t.Errorf("%d allocations per record", each)
	}
}

// The replay of 100,000 expansions, in one commit and in one commit each.
func BenchmarkReadLog(b *testing.B) {
	const n = 100_000
	first, records := header([]int{1, 1}, 1, 1), alternating(n)
	one, _ := write(b, []state.Record{first}, records)
	each, log := write(b, []state.Record{first})
	for _, r := range records {
		if err := log.Append([]state.Record{r}, true); err != nil {
			b.Fatal(err)
		}
	}
	for name, file := range map[string]*Log{"one commit": NewLog(one), "each a commit": NewLog(each)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				s, _, err := ReadLog(file.file)
				if err != nil {
					b.Fatal(err)
				}
				if s.Grid.Segments() != n+1 {
					b.Fatalf("%d segments", s.Grid.Segments())
				}
			}
		})
	}
}
