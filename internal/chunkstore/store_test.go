package chunkstore

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/cputest"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

func TestChunksAreWrittenAndRead(t *testing.T) {
	s := newStore(t)
	if s.ChunkBytes() != size || s.OffsetOf(3) != 96 {
		t.Errorf("%d bytes, chunk 3 at %d", s.ChunkBytes(), s.OffsetOf(3))
	}
	numbers := []axial.Number{0, 1, 255, 256, 257, 1000}
	for v := 1; v <= 3; v++ {
		for _, q := range numbers {
			mustWrite(t, s, q, v)
			wantChunk(t, s, q, v)
		}
	}
	mustSync(t, s)
	r := reopened(s)
	for _, q := range numbers {
		wantChunk(t, r, q, 3)
		wantChunk(t, r, q+2, map[axial.Number]int{255: 3}[q]) // 257 is the only one two behind another
	}
	if got, damaged := each(t, r, 1<<40); !slices.Equal(got, numbers) || damaged != 0 {
		t.Errorf("chunks %v, %d damaged", got, damaged)
	}
	if got, _ := each(t, r, 257); !slices.Equal(got, numbers[:4]) {
		t.Errorf("chunks %v below 257", got)
	}
	stop := errors.New("stop")
	if err := r.Each(1<<40, func(axial.Number, error) error { return stop }); err != stop {
		t.Errorf("Each returns %v", err)
	}
	text := make([]byte, slot)
	if _, err := s.files.Data.ReadAt(text, 255*slot); err != nil || string(text) != string(chunk(255, 3))+"\x00\x00\x00\x00\x00\x00\x00\x00" {
		t.Errorf("slot 255 holds %x, %v", text, err)
	}
}

func TestEveryFlippedBitOfAChunk(t *testing.T) {
	s := newStore(t)
	mustWrite(t, s, 7, 1)
	mustSync(t, s)
	r := reopened(s)
	b := chunk(7, 1)
	for bit := range size * 8 {
		b[bit/8] ^= 1 << (bit % 8)
		if _, err := s.files.Data.WriteAt(b, 7*slot); err != nil {
			t.Fatal(err)
		}
		wantDamage(t, s.Check(7, make([]byte, size)), "a.xta")
		wantDamage(t, r.Read(7, make([]byte, size)), "a.xta")
		b[bit/8] ^= 1 << (bit % 8)
	}
}

// What a store wrote itself counts as checked, until the system says that it could not store it.
func TestWrittenIsChecked(t *testing.T) {
	fail := false
	data, table := files(t, failing(func(op vfstest.Op, _ string) bool { return fail && op == vfstest.OpSync }), "")
	s := OpenWriter(Files{Data: data, Table: table}, size, slot)
	buf := make([]byte, size)
	for q := range axial.Number(2) {
		mustWrite(t, s, q, 1)
		if _, err := data.WriteAt([]byte{99}, int64(q)*slot+20); err != nil {
			t.Fatal(err)
		}
		if err := s.Read(q, buf); err != nil || buf[20] != 99 {
			t.Errorf("a chunk that was just written: %d, %v", buf[20], err)
		}
	}
	fail = true
	if err := s.Prepare(); !errors.Is(err, errFault) {
		t.Fatalf("prepare: %v", err)
	}
	for q := range axial.Number(2) {
		wantDamage(t, s.Read(q, buf), "a.xta")
	}
}

func TestAShortDataFile(t *testing.T) {
	s := newStore(t)
	mustWrite(t, s, 2, 1)
	mustWrite(t, s, 5, 1)
	for length := int64(5*slot + size - 1); length >= 3*slot; length -= 13 {
		if err := s.files.Data.Truncate(length); err != nil {
			t.Fatal(err)
		}
		wantDamage(t, s.Read(5, make([]byte, size)), "a.xta")
		wantChunk(t, s, 2, 1)
	}
}

func TestChunksOfAnotherSize(t *testing.T) {
	s := newStore(t)
	mustWrite(t, s, 2, 1)
	mustSync(t, s)
	other := OpenWriter(s.files, size-8, slot)
	wantDamage(t, other.Read(2, make([]byte, size-8)), "a.xta")
}

// Chunks thousands of millions apart: the files stay sparse and holes are skipped.
func TestChunksFarApart(t *testing.T) {
	for name, fsys := range map[string]vfs.FS{"OS": vfs.OS, "Mem": vfs.NewMem()} {
		t.Run(name, func(t *testing.T) {
			data, table := files(t, fsys, t.TempDir()+string(filepath.Separator))
			s := OpenWriter(Files{Data: data, Table: table}, size, slot)
			var numbers []axial.Number
			for i := range axial.Number(20) {
				numbers = append(numbers, i*1_000_000_007)
			}
			for _, q := range numbers {
				mustWrite(t, s, q, 1)
			}
			mustSync(t, s)
			r := reopened(s)
			var u Usage
			cputest.Most(t, 2*time.Second, func() {
				if got, damaged := each(t, r, 1<<40); !slices.Equal(got, numbers) || damaged != 0 {
					t.Errorf("chunks %v, %d damaged", got, damaged)
				}
				var err error
				if u, err = r.Usage(numbers[10] + 1); err != nil {
					t.Error(err)
				}
			})
			if u.Written != 11 {
				t.Errorf("%d written, want 11", u.Written)
			}
			if u.Table < 20*chunktable.EntrySize || u.Table > 10<<20 || u.Allocated < 20*size || u.Allocated > 10<<20 {
				t.Errorf("usage %+v of sparse files", u)
			}
			for _, q := range numbers {
				wantChunk(t, r, q, 1)
				wantChunk(t, r, q+1, 0)
			}
		})
	}
}

// fine is a file whose data ranges are those of single entries, as on a file system with
// small blocks.
type fine struct{ vfs.File }

func (f fine) Data(off int64) (from, to int64, err error) {
	b := make([]byte, chunktable.EntrySize)
	for from = off / chunktable.EntrySize * chunktable.EntrySize; ; from += chunktable.EntrySize {
		if _, err := f.ReadAt(b, from); err != nil {
			return 0, 0, err
		}
		if !bytes.Equal(b, make([]byte, chunktable.EntrySize)) {
			return max(off, from), from + chunktable.EntrySize, nil
		}
	}
}

func TestDataRangesThatAreNoPages(t *testing.T) {
	s := newStore(t)
	numbers := []axial.Number{3, 4, 200, 300, 1023}
	for _, q := range numbers {
		mustWrite(t, s, q, 1)
	}
	mustSync(t, s)
	r := OpenWriter(Files{Data: s.files.Data, Table: fine{s.files.Table}}, size, slot)
	if got, damaged := each(t, r, 1024); !slices.Equal(got, numbers) || damaged != 0 {
		t.Errorf("chunks %v, %d damaged", got, damaged)
	}
}

// recorder is a file system that notes what is done to its files.
type recorder struct {
	vfstest.Faulty
	steps []string
}

func newRecorder() *recorder {
	r := &recorder{}
	r.Faulty = vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, name string) error {
		r.steps = append(r.steps, string(op)+" "+name)
		return nil
	}}
	return r
}

func TestSyncOrder(t *testing.T) {
	r := newRecorder()
	data, table := files(t, r, "")
	s := OpenWriter(Files{Data: data, Table: table}, size, slot)
	for q := range axial.Number(3) {
		mustWrite(t, s, 300*q, 1)
	}
	r.steps = nil
	mustSync(t, s)
	want := []string{"sync a.xta", "write a.xck", "write a.xck", "write a.xck", "sync a.xck"}
	if diff := cmp.Diff(want, r.steps); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r.steps = nil
	mustSync(t, s)
	if len(r.steps) > 0 {
		t.Errorf("a second sync does %v", r.steps)
	}
	// A chunk whose page is known is one write, and one page to sync.
	mustWrite(t, s, 301, 1)
	mustSync(t, s)
	want = []string{"write a.xta", "sync a.xta", "write a.xck", "sync a.xck"}
	if diff := cmp.Diff(want, r.steps); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A Sync in the middle of a Write does not make the next one think that nothing is left.
func TestSyncInTheMiddleOfAWrite(t *testing.T) {
	var s *Writer
	synced, inside := 0, false
	fsys := vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, name string) error {
		if op == vfstest.OpSync && name == "a.xta" {
			synced++
		}
		if op == vfstest.OpWrite && name == "a.xta" && !inside {
			inside = true
			return s.Prepare()
		}
		return nil
	}}
	data, table := files(t, fsys, "")
	s = OpenWriter(Files{Data: data, Table: table}, size, slot)
	mustWrite(t, s, 1, 1)
	synced = 0
	mustSync(t, s)
	if synced != 1 {
		t.Errorf("data synced %d times", synced)
	}
	wantChunk(t, reopened(s), 1, 1)
}

// Every operation fails in turn: the caller gets the error, tries again, and all is there.
func TestOperationsThatFail(t *testing.T) {
	for k := 1; ; k++ {
		count := -2 // the two files are created
		fsys := failing(func(vfstest.Op, string) bool {
			count++
			return count == k
		})
		data, table := files(t, fsys, "")
		s := OpenWriter(Files{Data: data, Table: table}, size, slot)
		retry := func(f func() error) {
			t.Helper()
			if err := f(); err != nil {
				if !errors.Is(err, errFault) {
					t.Fatalf("fault %d: %v", k, err)
				}
				if err := f(); err != nil {
					t.Fatalf("fault %d, again: %v", k, err)
				}
			}
		}
		numbers := []axial.Number{0, 1, 300, 5000}
		for v := 1; v <= 2; v++ {
			for _, q := range numbers {
				retry(func() error { return s.Write(q, chunk(q, v)) })
			}
			retry(s.Prepare)
			retry(func() error { _, err := s.Usage(6000); return err })
			retry(func() error { return s.Read(300, make([]byte, size)) })
		}
		if count < k {
			if k < 30 {
				t.Errorf("only %d operations were seen to fail", k)
			}
			return
		}
		r := reopened(s)
		for _, q := range numbers {
			wantChunk(t, r, q, 2)
			wantChunk(t, r, q+10, 0)
		}
		if got, damaged := each(t, r, 6000); !slices.Equal(got, numbers) || damaged != 0 {
			t.Errorf("fault %d: chunks %v, %d damaged", k, got, damaged)
		}
	}
}

func TestManyWritersAndSyncs(t *testing.T) {
	s := newStore(t)
	var wg sync.WaitGroup
	for g := range axial.Number(8) {
		wg.Go(func() {
			for i := range axial.Number(100) {
				q := i*8 + g
				if err := s.Write(q, chunk(q, 1)); err != nil {
					t.Error(err)
				}
				if i%10 == 0 {
					if err := s.Prepare(); err != nil {
						t.Error(err)
					}
				}
				if err := s.Read(q, make([]byte, size)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	mustSync(t, s)
	r := reopened(s)
	for q := range axial.Number(800) {
		wantChunk(t, r, q, 1)
	}
	if u, err := r.Usage(800); err != nil || u.Written != 800 {
		t.Errorf("%+v, %v", u, err)
	}
}

// A chunk that was cleared does not agree any more with the entry that it had, also where the file
// system did not take its bytes back: those of small chunks.
func TestClearedChunkDisagreesWithItsEntry(t *testing.T) {
	fsys := vfs.NewMem() // gives back whole pages only
	data, table := files(t, fsys, "")
	w := OpenWriter(Files{FS: fsys, Data: data, Table: table, Journal: "a.xjl"}, size, slot)
	for q := range axial.Number(3) {
		mustWrite(t, w, q, 1)
	}
	mustCommit(t, w, 3, 1)
	var old [16]byte
	if _, err := w.files.Table.ReadAt(old[:], 16); err != nil {
		t.Fatal(err)
	}
	if err := w.Clear([]axial.Number{1}); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, w, 3, 2)
	if err := w.Finish(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.files.Table.WriteAt(old[:], 16); err != nil {
		t.Fatal(err)
	}
	again := reopened(w)
	if err := again.Read(1, make([]byte, size)); !errors.Is(err, state.ErrCorrupt) {
		t.Errorf("with its old entry: %v", err)
	}
	for _, q := range []axial.Number{0, 2} {
		if err := again.Read(q, make([]byte, size)); err != nil {
			t.Errorf("its neighbour: %v", err)
		}
	}
}
