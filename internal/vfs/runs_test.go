package vfs_test

import (
	"testing"

	"pgregory.net/rapid"

	"drx/internal/vfs"
)

// Runs agree with a list of the offset of each byte.
func TestRuns(t *testing.T) {
	if at := (*vfs.Runs)(nil).At(0); at >= 0 {
		t.Fatalf("no places at all, but byte 0 is at %d", at)
	}
	rapid.Check(t, func(t *rapid.T) {
		var runs []vfs.Run
		var want []int64
		for at := int64(0); len(runs) < 4 && rapid.Bool().Draw(t, "more"); {
			at += rapid.Int64Range(0, 9).Draw(t, "gap")
			r := vfs.Run{From: int64(len(want)), At: at, Every: rapid.Int64Range(0, 9).Draw(t, "every"), Skip: rapid.Int64Range(0, 9).Draw(t, "skip")}
			for i := range rapid.Int64Range(1, 40).Draw(t, "bytes") {
				if r.Every > 0 && i > 0 && i%r.Every == 0 {
					at += r.Skip
				}
				want = append(want, at)
				at++
			}
			r.To = int64(len(want))
			runs = append(runs, r)
		}
		p := vfs.NewRuns(runs)
		for off := int64(-2); off < int64(len(want))+2; off++ {
			at, n := p.Find(off)
			if off < 0 || off >= int64(len(want)) {
				if p.At(off) >= 0 || n != 0 {
					t.Fatalf("byte %d of %d is at %d", off, len(want), p.At(off))
				}
				continue
			}
			if at != want[off] || p.At(off) != at || n < 1 || off+n > int64(len(want)) || want[off+n-1] != at+n-1 {
				t.Fatalf("byte %d is at %d with %d bytes, want %d: %v", off, at, n, want[off], runs)
			}
		}
	})
}
