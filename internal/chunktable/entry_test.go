package chunktable

import (
	"bytes"
	"math"
	"testing"

	"drx/axial"
)

// The count of overwrites wraps around without changing the commit.
func TestEntryAfter(t *testing.T) {
	fresh := Entry{Sum: 1, Length: 2, Generation: 7}
	if got := fresh.After(Entry{}); got != fresh {
		t.Errorf("after none: %+v", got)
	}
	e := fresh
	for i := range uint32(5000) {
		e = fresh.After(e)
		if want := (Entry{1, 2, 7 | (i+1)%4096<<20}); e != want || e.Commit() != 7 {
			t.Fatalf("after %d: %+v, want %+v", i, e, want)
		}
	}
}

// Decode accepts only bytes that Encode writes.
func FuzzDecodeEntry(f *testing.F) {
	for _, q := range []int64{0, 1, 1 << 40} {
		b := make([]byte, EntrySize)
		f.Add(b, q)
		Entry{0xdeadbeef, 4096, 3}.Encode(b, axial.Number(q))
		f.Add(bytes.Clone(b), q)
		f.Add(bytes.Clone(b), q+1)
	}
	f.Fuzz(func(t *testing.T, b []byte, q int64) {
		if len(b) < EntrySize || q < 0 {
			return
		}
		b = b[:EntrySize]
		e, ok := Decode(b, axial.Number(q))
		if !ok {
			return
		}
		want := make([]byte, EntrySize)
		if e != (Entry{}) {
			e.Encode(want, axial.Number(q))
		}
		if !bytes.Equal(b, want) {
			t.Errorf("%x is good for %+v, which is %x", b, e, want)
		}
	})
}

// The numbers of commits wrap around.
func TestEarlierEntry(t *testing.T) {
	for _, c := range []struct {
		e, f uint32
		want bool
	}{{3, 4, true}, {4, 3, false}, {4, 4, false}, {commitMask, 0, true}, {0, commitMask, false}, {7 << commitBits, 1, true}} {
		if got := (Entry{Generation: c.e}).Earlier(Entry{Generation: c.f}); got != c.want {
			t.Errorf("%d earlier than %d: %v", c.e, c.f, got)
		}
	}
}

// A principal array of 2^63-1 bytes, as some file systems can have, reaches beyond its table.
func TestCoveredToTheLastByte(t *testing.T) {
	for n, want := range map[int64]int64{0: 0, 1: 1, 7: 1, 8: 1, 9: 2, math.MaxInt64: 1 << 60} {
		if got := ceilDiv(n, 8); got != want {
			t.Errorf("%d bytes take %d slots, want %d", n, got, want)
		}
	}
}
