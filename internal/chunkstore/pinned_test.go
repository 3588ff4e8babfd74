package chunkstore

import (
	"bytes"
	"path/filepath"
	"testing"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/vfs"
)

// usePinned pins bytes and calls f with them, or summing if that is not nil and their sum is
// wanted. It reports whether Unpin accepts them.
func usePinned(of store, q axial.Number, from, n int, f func([]byte), summing func([]byte) (uint32, bool)) (counts bool, err error) {
	s := of.base()
	p, err := s.Pin(q, from, n)
	if err != nil || p.Bytes == nil {
		return false, err
	}
	if summing != nil && s.WantsSum(&p) {
		if sum, ok := summing(p.Bytes); ok {
			return s.UnpinSummed(&p, sum), nil
		}
	} else {
		f(p.Bytes)
	}
	return s.Unpin(&p), nil
}

// use returns 5 bytes of chunk q, from byte 8 on, and whether Unpin accepts them after a call of
// meanwhile.
func use(t *testing.T, s store, q axial.Number, meanwhile func()) (got []byte, counts bool) {
	t.Helper()
	err := s.base().Guard(func() (err error) {
		counts, err = usePinned(s, q, 8, 5, func(b []byte) {
			got = bytes.Clone(b)
			meanwhile()
		}, nil)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return got, counts
}

func TestPinnedBytes(t *testing.T) {
	w, reader := newCommittedStore(t, 3, Files{})
	r := reader()
	nothing := func() {}
	for _, s := range []*Store{w.Store, r.Store} {
		if got, counts := use(t, s, 2, nothing); !counts || !bytes.Equal(got, chunk(2, 1)[8:13]) {
			t.Errorf("%x, counts %v", got, counts)
		}
		if _, err := usePinned(s, 100, 0, 1, func([]byte) { t.Error("a chunk never written is used") }, nil); err != ErrUnwritten {
			t.Errorf("a chunk never written: %v", err)
		}
	}
	if _, counts := use(t, r, 2, func() {
		mustWrite(t, w, 2, 2)
		mustCommit(t, w, 3, 2)
	}); counts {
		t.Error("a chunk that was written meanwhile counts")
	}
	if got, counts := use(t, r, 2, nothing); !counts || !bytes.Equal(got, chunk(2, 2)[8:13]) {
		t.Errorf("%x, counts %v", got, counts)
	}
}

// Damage is detected the first time, and not checked for again unless the store always checks.
func TestPinnedOfDamage(t *testing.T) {
	w, reader := newCommittedStore(t, 2, Files{})
	r := reader()
	if _, counts := use(t, r, 0, func() {}); !counts {
		t.Error("a good chunk does not count")
	}
	for q := range axial.Number(2) { // behind the bytes that are used
		if _, err := w.files.Data.WriteAt([]byte{99}, int64(w.OffsetOf(q))+20); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		checking Checking
		counts   [2]bool
	}{{CheckFirst, [2]bool{true, false}}, {CheckAlways, [2]bool{false, false}}, {CheckNever, [2]bool{true, true}}} {
		r.files.Checking = c.checking
		for q, want := range c.counts {
			if _, counts := use(t, r, axial.Number(q), func() {}); counts != want {
				t.Errorf("checking %v: damaged chunk %d counts: %v", c.checking, q, counts)
			}
		}
	}
}

// A writer that changes a chunk in its slot after its entry may end between the use of the bytes
// and their check: Unpin must reject them.
func TestPinnedOfAChunkThatIsBeingWritten(t *testing.T) {
	data, table := files(t, vfs.OS, t.TempDir()+string(filepath.Separator))
	for _, writing := range []func() bool{nil, func() bool { return true }} {
		w := OpenWriter(Files{Data: data, Table: table, Durability: None}, size, slot)
		mustWrite(t, w, 0, 1)
		mustSync(t, w)
		w.SetCommitted(1, 1)
		f := Files{Data: data, Table: table, Resident: 64 << 20}
		s := OpenWriter(f, size, slot).Store
		if writing != nil {
			s = OpenReader(f, size, slot, Others{Writing: writing}).Store
		}
		t.Cleanup(func() { _ = s.mapped.close() })
		s.SetCommitted(1, 1)
		now, _ := w.table.Get(0)
		now = w.entryOf(chunk(0, 2)).After(now)
		for range readsBeforeMapping + 1 {
			if err := w.table.Publish(0, now); err != nil { // and then the bytes
				t.Fatal(err)
			}
			if _, err := data.WriteAt(chunk(0, 1), 0); err != nil {
				t.Fatal(err)
			}
			var used []byte
			s.table.Forget()
			counts := false
			err := s.Guard(func() (err error) {
				counts, err = usePinned(s, 0, 0, size, func(b []byte) {
					used = bytes.Clone(b)
					if _, err := data.WriteAt(chunk(0, 2), 0); err != nil {
						t.Fatal(err)
					}
				}, nil)
				return err
			})
			if err != nil || counts && !bytes.Equal(used, chunk(0, 2)) {
				t.Fatalf("what was there before counts: %x, %v", used, err)
			}
			now = now.After(now)
		}
	}
}

// Without a writer the check comes after the use of the bytes, with one before.
func TestPinIsCheckedLate(t *testing.T) {
	data, table := files(t, vfs.OS, t.TempDir()+string(filepath.Separator))
	w := OpenWriter(Files{Data: data, Table: table, Durability: None}, size, slot)
	mustWrite(t, w, 0, 1)
	mustSync(t, w)
	if _, err := data.WriteAt([]byte{99}, 20); err != nil { // damage
		t.Fatal(err)
	}
	for _, writing := range []bool{false, true} {
		s := OpenReader(Files{Data: data, Table: table, Resident: 64 << 20}, size, slot, Others{Writing: func() bool { return writing }})
		used := false
		err := s.Guard(func() error {
			counts, err := usePinned(s, 0, 0, size, func([]byte) { used = true }, nil)
			if counts {
				t.Error("damage counts")
			}
			return err
		})
		if err != nil || used == writing {
			t.Errorf("writer %v: used %v, %v", writing, used, err)
		}
		if err := s.mapped.close(); err != nil {
			t.Error(err)
		}
	}
}

// A checksum that the caller computes while it uses the whole chunk is trusted for this chunk
// alone.
func TestPinnedThatSums(t *testing.T) {
	_, reader := newCommittedStore(t, 1, Files{})
	good := crc32c.Sum(chunk(0, 1))
	for _, c := range []struct {
		sum            uint32
		ok             bool
		from           int
		counts, summed bool
	}{
		{good, true, 0, true, true},
		{good + 1, true, 0, false, true},
		{good + 1, false, 0, true, true}, // no entry
		{good + 1, true, 1, true, false}, // not the whole chunk
	} {
		s := reader()
		s.mapped.smallSoFar.Store(readsBeforeMapping)
		for again := range 2 {
			used, summed := 0, 0
			err := s.Guard(func() error {
				counts, err := usePinned(s, 0, c.from, size-c.from, func([]byte) { used++ }, func([]byte) (uint32, bool) {
					summed++
					return c.sum, c.ok
				})
				if counts != c.counts {
					t.Errorf("%+v: counts %v", c, counts)
				}
				return err
			})
			known := again == 1 && c.counts // a good chunk is not checked again
			if err != nil || used+summed != 1 || (summed == 1) != (c.summed && !known) {
				t.Errorf("%+v, again %d: used %d, summed %d, %v", c, again, used, summed, err)
			}
		}
	}
}

// Bytes in a copy may be patched: the caller need not compute their sum. Bytes that a writer
// changes in the meantime are rejected, whatever their sum was.
func TestPinnedSumsOnlyWhatStays(t *testing.T) {
	w, reader := newCommittedStore(t, 1, Files{})
	use := func(r *Reader, meanwhile func()) (counts bool, used, summed int) {
		err := r.Guard(func() (err error) {
			counts, err = usePinned(r, 0, 0, size, func([]byte) { used++ }, func(b []byte) (uint32, bool) {
				summed++
				sum := crc32c.Sum(b)
				meanwhile()
				return sum, true
			})
			return err
		})
		if err != nil {
			t.Error(err)
		}
		return counts, used, summed
	}
	early := reader()
	if counts, used, summed := use(early, func() {}); !counts || used != 1 || summed != 0 {
		t.Errorf("a first look: counts %v, used %d, summed %d", counts, used, summed)
	}
	r := reader()
	r.mapped.smallSoFar.Store(readsBeforeMapping)
	if counts, used, summed := use(r, func() {
		mustWrite(t, w, 0, 2)
		mustCommit(t, w, 1, 2)
	}); counts || used != 0 || summed != 1 {
		t.Errorf("written meanwhile: counts %v, used %d, summed %d", counts, used, summed)
	}
}
