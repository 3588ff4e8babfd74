package chunkstore

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/state"
)

// The bytes of an entry as the format describes them, with the known check values of
// CRC-32C: "123456789" gives e3069283.
func TestEntryBytes(t *testing.T) {
	s := newStore(t)
	s.size = 9
	s.SetCommitted(0, 4)
	if err := s.Write(258, []byte("123456789")); err != nil {
		t.Fatal(err)
	}
	mustSync(t, s)
	got := make([]byte, chunktable.EntrySize)
	if _, err := s.files.Table.ReadAt(got, 258*chunktable.EntrySize); err != nil {
		t.Fatal(err)
	}
	want := []byte{0x83, 0x92, 0x06, 0xe3, 9, 0, 0, 0, 5, 0, 0, 0}
	if !bytes.Equal(got[:12], want) {
		t.Errorf("entry %x, want %x and a check", got, want)
	}
	if e, ok := chunktable.Decode(got, 258); !ok || e != (chunktable.Entry{Sum: 0xe3069283, Length: 9, Generation: 5}) {
		t.Errorf("decoded %+v, %v", e, ok)
	}
	for _, q := range []axial.Number{0, 257, 259, 258 + 1<<32} {
		if _, ok := chunktable.Decode(got, q); ok {
			t.Errorf("good as the entry of chunk %d too", q)
		}
	}
	chunktable.Entry{Sum: 7, Generation: 1}.Encode(got, 258)
	if _, ok := chunktable.Decode(got, 258); ok {
		t.Error("a chunk without bytes is good")
	}
}

// Any one flipped bit is found, in an entry and in the sixteen zeros of one never written.
func TestEveryFlippedBitOfAnEntry(t *testing.T) {
	for _, q := range []axial.Number{0, 1, 255, 256, 70_000} {
		for _, written := range []bool{false, true} {
			s := newStore(t)
			mustWrite(t, s, q+1, 1) // so that the table reaches beyond
			if written {
				mustWrite(t, s, q, 1)
			}
			mustSync(t, s)
			b := make([]byte, chunktable.EntrySize)
			if _, err := s.files.Table.ReadAt(b, int64(q)*chunktable.EntrySize); err != nil {
				t.Fatal(err)
			}
			for bit := range chunktable.EntrySize * 8 {
				b[bit/8] ^= 1 << (bit % 8)
				if _, err := s.files.Table.WriteAt(b, int64(q)*chunktable.EntrySize); err != nil {
					t.Fatal(err)
				}
				b[bit/8] ^= 1 << (bit % 8)
				r := reopened(s)
				wantDamage(t, r.Read(q, make([]byte, size)), "a.xck")
				_, err := r.Written(q)
				wantDamage(t, err, "a.xck")
				_, err = r.Usage(q + 2)
				wantDamage(t, err, "a.xck")
				if good, damaged := each(t, r, q+2); damaged != 1 || !slices.Equal(good, []axial.Number{q + 1}) {
					t.Fatalf("bit %d: good %v, %d damaged", bit, good, damaged)
				}
				wantChunk(t, r, q+1, 1)
			}
		}
	}
}

// A write mends a damaged entry, and the entries beside it are as they were.
func TestWriteMendsAnEntry(t *testing.T) {
	s := newStore(t)
	for q := range axial.Number(3) {
		mustWrite(t, s, q, 1)
	}
	mustSync(t, s)
	if _, err := s.files.Table.WriteAt([]byte("damage"), chunktable.EntrySize); err != nil {
		t.Fatal(err)
	}
	r := reopened(s)
	wantDamage(t, r.Read(1, make([]byte, size)), "a.xck")
	mustWrite(t, r, 1, 2)
	mustSync(t, r)
	for q, v := range []int{1, 2, 1} {
		wantChunk(t, reopened(r), axial.Number(q), v)
	}
}

// A table of any bytes is read without panic: every chunk is good, never written or
// damaged, and Each says the same as Read. Then chunks are written by the same bytes.
func FuzzTable(f *testing.F) {
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0}, 100))
	good := newStore(f)
	for q := range axial.Number(40) {
		mustWrite(f, good, q*2, 1)
	}
	mustSync(f, good)
	text := make([]byte, 80*chunktable.EntrySize)
	if _, err := good.files.Table.ReadAt(text, 0); err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:333])
	f.Add(append(bytes.Clone(text[16:]), text[:50]...))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := newStore(t)
		if _, err := s.files.Table.WriteAt(text, 0); err != nil {
			t.Fatal(err)
		}
		limit := axial.Number(len(text)/chunktable.EntrySize + 300)
		var found []axial.Number
		err := s.Each(limit, func(q axial.Number, _ error) error {
			found = append(found, q)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, size)
		for q := range limit {
			err := s.Read(q, buf)
			if err == nil || !errors.Is(err, ErrUnwritten) && !errors.Is(err, state.ErrCorrupt) {
				t.Fatalf("chunk %d of an empty file: %v", q, err)
			}
			if errors.Is(err, ErrUnwritten) == slices.Contains(found, q) {
				t.Fatalf("chunk %d: Read says %v, Each finds %v", q, err, found)
			}
		}
		model := map[axial.Number]int{}
		for i, b := range text {
			q, v := axial.Number(b)*axial.Number(i%7+1), i%250+1
			if mustWrite(t, s, q, v); b%16 == 0 {
				mustSync(t, s)
			}
			model[q] = v
		}
		mustSync(t, s)
		s = reopened(s)
		for q, v := range model {
			wantChunk(t, s, q, v)
		}
	})
}
