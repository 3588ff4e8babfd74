package main

import "testing"

// The laws, from jobs of at most 64 procs, must be those of a larger one.
func TestLawsHold(t *testing.T) {
	laws, files, err := countLaws(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const procs, chunks = 128, 3
	counts, more, err := countCalls(t.TempDir(), procs, chunks)
	if err != nil {
		t.Fatal(err)
	}
	for phase, want := range counts {
		w, n := laws[phase], chunks
		if phase == "round" {
			n = 1
		}
		if w.calls != want.calls || w.exchanges != want.exchanges {
			t.Errorf("%s: %d calls and %d exchanges, the law says %d and %d", phase, want.calls, want.exchanges, w.calls, w.exchanges)
		}
		if got := w.bytes(procs, n); got < float64(want.got)-16 || got > float64(want.got)+16 {
			t.Errorf("%s: %d bytes, the law says %g", phase, want.got, got)
		}
	}
	if files != more {
		t.Errorf("each proc opens %g files, with more procs %g", files, more)
	}
}
