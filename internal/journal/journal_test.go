package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/state"
	"drx/internal/vfs"
)

const size = 24

func sumOf(table [16]byte) (length int, sum uint32) {
	return size, binary.LittleEndian.Uint32(table[:])
}

func image(n byte) []byte { return bytes.Repeat([]byte{n}, size) }

func entryOf(q axial.Number, at int64, buf []byte) Entry {
	e := Entry{Number: q, Image: at}
	binary.LittleEndian.PutUint32(e.Table[:], crc32c.Sum(buf))
	return e
}

func fill(t testing.TB, f vfs.File) Block {
	t.Helper()
	j := New(f, size)
	var b Block
	b.Commit = 7
	for i := range int64(3) {
		at, err := j.Put(NoImage, image(byte(i)))
		if err != nil || at != i {
			t.Fatalf("image %d, %v", at, err)
		}
		b.Entries = append(b.Entries, entryOf(axial.Number(i*1000), at, image(byte(i))))
	}
	if _, err := j.Put(1, image(9)); err != nil {
		t.Fatal(err)
	}
	b.Entries[1] = entryOf(1000, 1, image(9))
	b.Entries = append(b.Entries, entryOf(5000, NoImage, nil))
	patched := entryOf(6000, NoImage, nil)
	patched.Pieces = []Piece{{3, []byte("new")}, {0, []byte{}}, {size - 1, []byte{9}}}
	b.Entries = append(b.Entries, patched)
	b.Line = []byte("01234567 {\"extend\":1,\"by\":3}\n")
	if err := j.Commit(b); err != nil {
		t.Fatal(err)
	}
	return b
}

func contents(t testing.TB, f vfs.File) []byte {
	t.Helper()
	n, err := f.Size()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, n)
	if n > 0 {
		if _, err := f.ReadAt(b, 0); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// readWhole returns the commit of a journal if all images are good.
func readWhole(f vfs.File) (*Block, error) {
	b, whole, err := New(f, size).Read(sumOf, nil)
	if !whole {
		b = nil
	}
	return b, err
}

func create(t testing.TB, bytes []byte) vfs.File {
	t.Helper()
	f, err := vfs.NewMem().Create("j")
	if err != nil {
		t.Fatal(err)
	}
	if len(bytes) > 0 {
		if _, err := f.WriteAt(bytes, 0); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestCommitAndRead(t *testing.T) {
	f := create(t, nil)
	want := fill(t, f)
	got, err := readWhole(f)
	if err != nil || got == nil {
		t.Fatalf("read %v, %v", got, err)
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Error(diff)
	}
	buf := make([]byte, size)
	if err := New(f, size).Image(1, buf); err != nil || !slices.Equal(buf, image(9)) {
		t.Errorf("image 1 is %v, %v", buf, err)
	}
	// A shorter commit written over a longer one that was not cleared is the valid one.
	j := New(f, size)
	at, err := j.Put(NoImage, image(3))
	if err != nil {
		t.Fatal(err)
	}
	short := Block{Commit: 8, Entries: []Entry{entryOf(1, at, image(3))}}
	if err := j.Commit(short); err != nil {
		t.Fatal(err)
	}
	if got, err := readWhole(f); err != nil || got == nil || got.Commit != 8 || len(got.Entries) != 1 {
		t.Errorf("read %v, %v", got, err)
	}
	if err := j.Clear(); err != nil {
		t.Fatal(err)
	}
	if got, err := readWhole(f); err != nil || got != nil {
		t.Errorf("read %v, %v from a cleared journal", got, err)
	}
}

// A journal that is truncated anywhere, or has any byte changed, is read as the commit that was
// written, or as empty: never as another commit.
func TestDamage(t *testing.T) {
	f := create(t, nil)
	want := fill(t, f)
	whole := contents(t, f)
	for n := range whole {
		if whole[n] == 0 && n%512 != 0 {
			continue // most of the file is the gap
		}
		if got, err := readWhole(create(t, whole[:n])); err != nil || got != nil {
			t.Errorf("cut at %d: %v, %v", n, got, err)
		}
		for _, change := range []byte{1, 0x80, 0xff} {
			overwrite(t, f, n, []byte{whole[n] ^ change})
			got, err := readWhole(f)
			overwrite(t, f, n, whole[n:n+1])
			if err != nil || (got != nil && !cmp.Equal(*got, want)) {
				t.Errorf("byte %d changed: %v, %v", n, got, err)
			}
		}
	}
}

func overwrite(t testing.TB, f vfs.File, at int, b []byte) {
	t.Helper()
	if _, err := f.WriteAt(b, int64(at)); err != nil {
		t.Fatal(err)
	}
}

// No lost block of the file system destroys both copies of the commit; images are stored once.
func TestLostBlocks(t *testing.T) {
	for extra := range 12 {
		f := create(t, nil)
		j := New(f, size)
		for range 100 * extra {
			if _, err := j.Put(NoImage, image(1)); err != nil {
				t.Fatal(err)
			}
		}
		want := Block{Commit: 3, Line: bytes.Repeat([]byte("x"), 3000*extra*extra), Entries: []Entry{entryOf(1, NoImage, nil)}}
		if err := j.Commit(want); err != nil {
			t.Fatal(err)
		}
		whole := contents(t, f)
		for _, unit := range []int{512, 4 << 10, 64 << 10} {
			for at := 0; at < len(whole); at += unit {
				part := whole[at:min(at+unit, len(whole))]
				if len(bytes.Trim(part, "\x00")) == 0 || unit == 512 && extra > 3 && at/unit%11 > 0 {
					continue
				}
				overwrite(t, f, at, make([]byte, len(part)))
				b, err := New(f, size).Block()
				overwrite(t, f, at, part)
				if err != nil || b == nil || !b.SameCommit(&want) || b.Commit != 3 {
					t.Fatalf("%d images, %d bytes lost at %d of %d: %v, %v", 100*extra, unit, at, len(whole), b, err)
				}
			}
		}
	}
}

// If the chunk size is a power of two, the copy directly follows the images, so that it is synced
// with them; the copy and the block can each be lost.
func TestCopyFollowsImages(t *testing.T) {
	for shift := 9; shift < 22; shift++ {
		size := 1 << shift
		f := create(t, nil)
		j := New(f, size)
		for i := range byte(3) {
			if _, err := j.Put(NoImage, bytes.Repeat([]byte{i + 1}, size)); err != nil {
				t.Fatal(err)
			}
		}
		want := Block{Commit: 3, Line: []byte("x"), Entries: []Entry{{Number: 1, Image: 2}}}
		if err := j.Commit(want); err != nil {
			t.Fatal(err)
		}
		whole := contents(t, f)
		if at := bytes.Index(whole, []byte(copyMagic)); at != 3*size+blockHead+entrySize+1 {
			t.Errorf("images of %d bytes: the footer of the copy is at %d", size, at)
		}
		for _, end := range []int{3*size + 512, len(whole)} {
			at := (end - 1) / (64 << 10) * (64 << 10)
			overwrite(t, f, at, make([]byte, min(len(whole)-at, 64<<10)))
			if b, err := New(f, size).Block(); err != nil || b == nil || !b.SameCommit(&want) {
				t.Errorf("images of %d bytes, 64 KiB lost at %d of %d: %v, %v", size, at, len(whole), b, err)
			}
			overwrite(t, f, at, whole[at:min(len(whole), at+64<<10)])
		}
	}
}

// If block and copy belong to different commits, the later one counts; with equal serial numbers
// they are damage.
func TestBlockOfAnotherTime(t *testing.T) {
	var texts [3][]byte
	for i := range texts {
		f := create(t, nil)
		j := New(f, size)
		for k := range max(1, i) { // the first two are both a writer's first commit
			if err := j.Commit(Block{Commit: 4, Line: []byte{'a' + byte(i), '0' + byte(k)}}); err != nil {
				t.Fatal(err)
			}
		}
		texts[i] = contents(t, f)
	}
	for _, at := range []int{0, len(texts[0]) - 512} {
		mixed := func(of, with int) *Journal {
			b := slices.Clone(texts[of])
			copy(b[at:min(at+512, len(b))], texts[with][at:])
			return New(create(t, b), size)
		}
		if b, err := mixed(1, 0).Block(); b != nil || !errors.Is(err, state.ErrCorrupt) {
			t.Errorf("512 bytes at %d of another block: %v, %v", at, b, err)
		}
		for _, j := range []*Journal{mixed(2, 1), mixed(1, 2)} {
			if b, err := j.Block(); err != nil || string(b.Line) != "c1" {
				t.Errorf("512 bytes at %d of another commit: %v, %v", at, b, err)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	file := create(f, nil)
	fill(f, file)
	f.Add(contents(f, file))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := readWhole(create(t, b))
		if err != nil && !errors.Is(err, state.ErrCorrupt) {
			t.Fatal(err)
		}
		if got != nil && len(got.Entries)*entrySize > len(b) {
			t.Fatal(fmt.Sprint(got))
		}
	})
}

// Pieces are encoded as the format specifies.
func TestPiecesInBytes(t *testing.T) {
	b := Block{Commit: 2, Line: []byte("L\n"), Entries: []Entry{
		{Number: 5, Image: 0, Table: [16]byte{1}},
		{Number: 6, Image: NoImage, Table: [16]byte{2}, Pieces: []Piece{{3, []byte("abc")}, {1, []byte("d")}}},
		{Number: 7, Image: NoImage, Table: [16]byte{3}},
	}}
	pad := strings.Repeat("\x00", 15)
	want := "\x02\x00\x00\x00\x00\x00\x00\x00" + "\x03\x00\x00\x00\x00\x00\x00\x00" +
		"\x05\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x01" + pad +
		"\x06\x00\x00\x00\x00\x00\x00\x00" + "\xfe\xff\xff\xff\xff\xff\xff\xff" + "\x02" + pad +
		"\x07\x00\x00\x00\x00\x00\x00\x00" + "\xff\xff\xff\xff\xff\xff\xff\xff" + "\x03" + pad +
		"\x02\x00\x00\x00" + "\x03\x00\x00\x00" + "\x03\x00\x00\x00" + "abc" + "\x01\x00\x00\x00" + "\x01\x00\x00\x00" + "d" + "L\n"
	if got := string(b.encode()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, err := decodeBlock([]byte(want), size, 1); err != nil || cmp.Diff(b, *got) != "" {
		t.Errorf("%v, %v", got, err)
	}
}

// A block that was decoded is encoded to the same bytes.
func FuzzBlock(f *testing.F) {
	block := fill(f, create(f, nil))
	f.Add(block.encode())
	f.Add(Block{Commit: -1, Entries: []Entry{{Number: 3, Image: NoImage, Pieces: []Piece{{1, []byte("ab")}}}}}.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < blockHead {
			return
		}
		got, err := decodeBlock(b, size, 3)
		if err == nil && !slices.Equal(got.encode(), b) {
			t.Fatalf("%x of %x", got.encode(), b)
		}
		read, readErr := New(sealed(t, b, 3), size).Block()
		if (err == nil) != (readErr == nil) || err == nil && !cmp.Equal(read, got) {
			t.Fatalf("%v, %v in a file, %v, %v alone", read, readErr, got, err)
		}
		if readErr != nil && !errors.Is(readErr, state.ErrCorrupt) {
			t.Fatal(readErr)
		}
		if err != nil {
			return
		}
		for _, e := range got.Entries {
			if e.Number < 0 || e.Number > math.MaxInt64/size || e.Image < NoImage || e.Image >= 3 {
				t.Fatalf("entry %+v", e)
			}
		}
	})
}

// sealed returns a journal with the given number of images, an arbitrary block and a valid footer,
// but no copy, as older versions of DRX write it.
func sealed(t testing.TB, block []byte, images int64) vfs.File {
	t.Helper()
	offset := images * size
	return create(t, slices.Concat(make([]byte, offset), appendFooter(block, magic, offset, 0)))
}

// A block with a valid checksum that cannot have been written is reported as damage.
func TestImpossibleBlocks(t *testing.T) {
	entry := func(q axial.Number, at int64) Entry { return entryOf(q, at, image(0)) }
	whole := func(entries ...Entry) []byte { return Block{Commit: 2, Entries: entries}.encode() }
	for name, b := range map[string][]byte{
		"chunk 2^60":            whole(entry(1<<60, 0)),
		"chunk -1":              whole(entry(-1, 0)),
		"chunks descend":        whole(entry(5, 0), entry(4, 1)),
		"a chunk twice":         whole(entry(5, 0), entry(5, 1)),
		"image 2 of 2":          whole(entry(5, 2)),
		"image 2^60":            whole(entry(5, 1<<60)),
		"image -3":              whole(entry(5, -3)),
		"pieces missing":        whole(entry(5, inPieces)),
		"a piece too long":      whole(Entry{Number: 5, Image: NoImage, Pieces: []Piece{{size - 1, []byte("ab")}}}),
		"no pieces":             append(whole(entry(5, inPieces)), 0, 0, 0, 0),
		"2^32-1 pieces":         append(whole(entry(5, inPieces)), 0xff, 0xff, 0xff, 0xff),
		"2^59 entries":          binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 2), 1<<59),
		"more entries than are": whole(entry(5, 0))[:blockHead+entrySize-1],
	} {
		j := New(sealed(t, b, 2), size)
		for what, read := range map[string]func() (*Block, error){"Block": j.Block, "Read": func() (*Block, error) { return readWhole(j.file) }} {
			if got, err := read(); got != nil || !errors.Is(err, state.ErrCorrupt) || !strings.Contains(err.Error(), j.Name()) {
				t.Errorf("%s: %s gives %v, %v, want %v", name, what, got, err, state.ErrCorrupt)
			}
		}
	}
	good := whole(entry(4, 0), entry(5, 1))
	if got, err := readWhole(sealed(t, good, 2)); err != nil || got == nil {
		t.Errorf("a good one: %v, %v", got, err)
	}
	uneven := sealed(t, good, 2)
	text := contents(t, uneven)
	if got, err := New(create(t, text), size+1).Block(); got != nil || !errors.Is(err, state.ErrCorrupt) {
		t.Errorf("images of another size: %v, %v", got, err)
	}
}
