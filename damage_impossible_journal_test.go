package drx

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"drx/axial"
	"drx/dtype"
	"drx/internal/crc32c"
	"drx/internal/journal"
	"drx/internal/vfs"
	"drx/nd"
)

// tableEntry returns a valid entry of chunk q, with the checksum of the first length bytes of
// chunk.
func tableEntry(q axial.Number, chunk []byte, length int) (e [16]byte) {
	le := binary.LittleEndian
	le.PutUint32(e[:], crc32c.Sum(chunk))
	le.PutUint32(e[4:], uint32(length))
	le.PutUint32(e[8:], 2)
	var number [8]byte
	le.PutUint64(number[:], uint64(q))
	le.PutUint32(e[12:], crc32c.Update(crc32c.Sum(number[:]), e[:12]))
	return e
}

// A complete journal with a commit that counts, but with chunks that the array does not have, is
// damage: it is neither applied nor treated as incomplete. The offset of entry 2^60 overflows to
// that of entry 0.
func TestImpossibleJournal(t *testing.T) { inAllForms(t, testImpossibleJournal) }

func testImpossibleJournal(t *testing.T) {
	const chunkBytes = 8
	files := vfs.NewMem()
	makeBeside(t, files)
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{6, 8}, ChunkShape: []int{1, 8}, Options: Options{fs: files}})
	if err := errors.Join(Fill(a, nil, uint8(7)), a.Sync(), a.SetAttr("x", 1), a.Close()); err != nil {
		t.Fatal(err)
	}
	chunk := bytes.Repeat([]byte{9}, chunkBytes)
	entry := func(q axial.Number) journal.Entry {
		return journal.Entry{Number: q, Image: 0, Table: tableEntry(q, chunk, chunkBytes)}
	}
	in := func(q axial.Number, change func(e *journal.Entry)) journal.Entry {
		e := entry(q)
		change(&e)
		return e
	}
	for name, c := range map[string]struct {
		entry journal.Entry
		good  bool
	}{
		"the last chunk":        {entry(5), true},
		"one behind the last":   {entry(6), false},
		"chunk 2^60":            {entry(1 << 60), false},
		"chunk 2^63-1":          {entry(1<<63 - 1), false},
		"a damaged table entry": {in(5, func(e *journal.Entry) { e.Table[12]++ }), false},
		"that of another chunk": {in(5, func(e *journal.Entry) { e.Table = tableEntry(4, chunk, chunkBytes) }), false},
		"of another length":     {in(5, func(e *journal.Entry) { e.Table = tableEntry(5, chunk, chunkBytes-1) }), false},
		"an image there is not": {in(5, func(e *journal.Entry) { e.Image = 1 }), false},
		"an image that wraps":   {in(5, func(e *journal.Entry) { e.Image = 1 << 61 }), false},
		"a piece behind the end": {in(5, func(e *journal.Entry) {
			e.Image, e.Pieces = journal.NoImage, []journal.Piece{{At: 8, Bytes: []byte{1}}}
		}), false},
		"pieces of a chunk of 0s": {in(5, func(e *journal.Entry) {
			e.Image, e.Table, e.Pieces = -1, [16]byte{}, []journal.Piece{{Bytes: []byte{1}}}
		}), false},
	} {
		for ext, b := range map[string]journal.Block{
			journalExt:       {Commit: 3, Entries: []journal.Entry{c.entry}},
			journalExt + "0": {Commit: -1, Entries: []journal.Entry{c.entry}},
		} {
			t.Run(name+" in a"+ext, func(t *testing.T) { checkForged(t, files, ext, b, chunk, c.good) })
		}
	}
	checkForged(t, files, journalExt+"0", journal.Block{Commit: -1, Entries: []journal.Entry{in(5, func(e *journal.Entry) { e.Image = journal.NoImage })}}, chunk, false)
	checkForged(t, files, journalExt+"0", journal.Block{Commit: 3, Entries: []journal.Entry{entry(5)}}, chunk, false)
	checkForged(t, files, journalExt+"0", journal.Block{Commit: -1, Entries: []journal.Entry{entry(5)}, Line: []byte("x\n")}, chunk, false)
}

// checkForged opens copies of an array with a journal in all modes. Unless good is set, the array
// must be refused and the files unchanged.
func checkForged(t *testing.T, files vfs.FS, ext string, b journal.Block, image []byte, good bool) {
	t.Helper()
	name := named(t, "a")
	forged := strings.TrimSuffix(journalNamed(name), journalExt) + ext
	for how, o := range map[string]Options{"read": {}, "write": {Write: true}, "share": {Shared: true}} {
		o.fs = vfs.NewMem()
		copyAll(t, o.fs, files)
		f, err := o.fs.Create(forged)
		if err != nil {
			t.Fatal(err)
		}
		j := journal.New(f, len(image))
		_, err = j.Put(journal.NoImage, image)
		if err := errors.Join(err, j.Commit(b), j.Close()); err != nil {
			t.Fatal(err)
		}
		a, err := Open(name, o)
		bad := !good && (ext == journalExt || how != "read") // readers seldom read others
		if bad != errors.Is(err, ErrCorrupt) || (err != nil && (!bad || !strings.Contains(err.Error(), forged+":"))) {
			t.Errorf("%s: %v, want damage %v", how, err, bad)
		}
		if err == nil {
			if got, err := At[uint8](a, 5, 0); err != nil || got != 7 && !good {
				t.Errorf("%s: element is %d, %v", how, got, err)
			}
			if err := a.Discard(); err != nil {
				t.Error(err)
			}
		}
		if !bad {
			continue
		}
		for _, e := range []string{logExt, dataExt, tableExt, presenceExt} {
			now, before := memberBytes(t, o.fs, e), memberBytes(t, files, e)
			if e == tableExt { // which may be truncated behind the last chunk
				now, before = now[:6*entryBytes], before[:6*entryBytes]
			}
			if !bytes.Equal(now, before) {
				t.Errorf("%s: %s of %s has changed", how, e, name)
			}
		}
		if ext == journalExt {
			checkRecovered(t, o.fs)
		}
	}
}

// copyAll copies all files of a file system.
func copyAll(t *testing.T, to, from vfs.FS) {
	t.Helper()
	names, _, err := from.List(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		mustMakeFile(t, to, name, contentOf(t, from, name))
	}
}

// checkRecovered checks that Recover saves the contents of the files other than the journal.
func checkRecovered(t *testing.T, fsys vfs.FS) {
	t.Helper()
	report, err := Recover(context.Background(), named(t, "a"), "recovered", RecoverOptions{fs: fsys})
	if err != nil || report.JournalDamage == "" || report.Complete() || report.Saved != 6 || len(report.Lost) > 0 {
		t.Errorf("recovered %+v, %v", report, err)
	}
	b, err := Open("recovered", Options{fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Read[uint8](b, nd.Sec(nd.At(5), nd.All)); err != nil || got[0] != 7 {
		t.Errorf("recovered %v, %v", got, err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// The journal of a sharer is validated, too, when a reader reads it because a chunk disagrees with
// its checksum.
func TestImpossibleJournalOfASharer(t *testing.T) { inAllForms(t, testImpossibleJournalOfASharer) }

func testImpossibleJournalOfASharer(t *testing.T) {
	fsys := vfs.NewMem()
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{6, 8}, ChunkShape: []int{1, 8}, Options: Options{fs: fsys}})
	if err := errors.Join(Fill(a, nil, uint8(7)), a.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := member(t, fsys, dataExt).WriteAt([]byte{1}, 40); err != nil {
		t.Fatal(err)
	}
	forged := journalNamed(named(t, "a")) + "0"
	f, err := fsys.Create(forged)
	if err != nil {
		t.Fatal(err)
	}
	image := make([]byte, 8)
	e := journal.Entry{Number: 5, Image: 0, Table: tableEntry(4, image, len(image))}
	j := journal.New(f, len(image))
	_, err = j.Put(journal.NoImage, image)
	if err := errors.Join(err, j.Commit(journal.Block{Commit: -1, Entries: []journal.Entry{e}})); err != nil {
		t.Fatal(err)
	}
	r, err := Open(named(t, "a"), Options{fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := At[uint8](r, 5, 0); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), forged) {
		t.Errorf("damaged chunk, and an entry that is not its own: %v", err)
	}
}
