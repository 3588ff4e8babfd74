package onefile

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"drx/internal/vfs"
)

// wholeFile returns all bytes of a file.
func wholeFile(t *testing.T, f vfs.File) []byte {
	t.Helper()
	size, err := f.Size()
	raw := make([]byte, size)
	if n, readErr := f.ReadAt(raw, 0); err != nil || int64(n) < size {
		t.Fatal(err, readErr)
	}
	return raw
}

// fill writes something to all streams of an array, which grows twice.
func fill(t *testing.T, c *Container, slot int64, text string) {
	t.Helper()
	log, data, table, presence := c.Log(), c.Data(), c.Table(), c.Presence()
	for i := range int64(2) {
		var all error
		note := func(_ int, err error) { all = errors.Join(all, err) }
		note(log.WriteAt([]byte(text+" line\n"), 26_000*i))
		note(data.WriteAt([]byte(text+" chunk"), 200*slot*i))
		note(table.WriteAt([]byte(text+" entry"), 200*16*i))
		note(presence.WriteAt([]byte("p"), 64+200*i))
		note(presence.WriteAt([]byte(text+" head"), 0))
		if all != nil {
			t.Fatal(all)
		}
	}
}

// All bytes of a file with one array whose log and chunks have grown equal the golden file, which
// can be read.
func TestGoldenFile(t *testing.T) {
	c := create(t, vfs.NewMem(), 24, 0)
	fill(t, c, 24, "the")
	goldenFile(t, "testdata/one.golden", c.File())
	checkFilled(t, c.File(), "the")
}

// All bytes of a file with two arrays that have grown in turn, one of which was renamed, equal the
// golden file.
func TestGoldenFileOfSeveral(t *testing.T) {
	fsys := vfs.NewMem()
	streams := layOut(t, fsys, 2, 24)
	f := fsysFile(t, fsys)
	for i, text := range []string{"first", "second"} {
		c, err := Open(NewMember(f, text, streams[i]), true)
		if err != nil {
			t.Fatal(err)
		}
		fill(t, c, 24, text)
	}
	if err := directoryOf(t, fsys).Rename("1", "model/b.drx"); err != nil {
		t.Fatal(err)
	}
	goldenFile(t, "testdata/several.golden", f)
	checkFilled(t, NewMember(f, "0", streams[0]), "first")
	checkFilled(t, NewMember(f, "1", streams[1]), "second")
}

// checkFilled checks the contents that fill has written.
func checkFilled(t *testing.T, f vfs.File, text string) {
	t.Helper()
	c, err := Open(f, false)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, len(text)+6)
	if _, err := c.Data().ReadAt(b, 200*24); err != nil || string(b) != text+" chunk" {
		t.Errorf("%q, %v", b, err)
	}
}

// goldenFile compares the bytes of a file with those of a golden file, see packed.
func goldenFile(t *testing.T, name string, f vfs.File) {
	t.Helper()
	golden(t, name, packed(wholeFile(t, f)))
}

// packed returns, as text, the length of a file in bytes, and its rows of 32 bytes that are not
// zero.
func packed(raw []byte) []byte {
	text := fmt.Appendf(nil, "%d bytes\n", len(raw))
	for at := 0; at < len(raw); at += 32 {
		if row := raw[at:min(at+32, len(raw))]; !isZero(row) {
			text = fmt.Appendf(text, "%08x %x\n", at, row)
		}
	}
	return text
}

// unpacked returns a file with the bytes of the text that packed returned.
func unpacked(t *testing.T, golden string) vfs.FS {
	t.Helper()
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")
	var size int64
	if _, err := fmt.Sscanf(rows[0], "%d bytes", &size); err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, size)
	for _, row := range rows[1:] {
		var at int64
		var b []byte
		if _, err := fmt.Sscanf(row, "%x %x", &at, &b); err != nil {
			t.Fatal(row, err)
		}
		copy(raw[at:], b)
	}
	fsys := vfs.NewMem()
	f, err := fsys.Create("a.drx")
	if err == nil {
		_, err = f.WriteAt(raw, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}

// An array in a file of an earlier version can be read, and its presence map moves to a witness
// when its head is written.
func TestFileOfBefore(t *testing.T) {
	fsys := unpacked(t, "testdata/one_before.golden")
	checkFilled(t, fsysFile(t, fsys), "the")
	c := reopen(t, fsys, true)
	wantMoved(t, c, false)
	if err := c.Data().Lock(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Presence().WriteAt([]byte("a newer head"), 0); err != nil {
		t.Fatal(err)
	}
	checkFilled(t, fsysFile(t, fsys), "the")
	wantMoved(t, reopen(t, fsys, false), true)
	if b := wholeFile(t, fsysFile(t, fsys)); string(b[:8]) != "DRXFILE3" || string(b[page:page+8]) != "DRXFILE3" {
		t.Errorf("the file begins with %q, its other copy with %q", b[:8], b[page:page+8])
	}
}

// wantMoved checks the presence bytes that fill has set, and their location.
func wantMoved(t *testing.T, c *Container, moved bool) {
	t.Helper()
	for _, at := range []int64{64, 264} {
		var b [1]byte
		if _, err := c.Presence().ReadAt(b[:], at); err != nil || b[0] != 'p' {
			t.Errorf("presence byte %d is %q, %v", at, b, err)
		}
	}
	if is := c.streams.Load().stream(witness(c.base)).length > 0; is != moved {
		t.Errorf("the presence map has a stream of its own: %v", is)
	}
}

// The directory of a file of an earlier version gets a mirror when the file is opened for writing.
// The mirror has the entries that the directory has lost.
func TestDirectoryOfBefore(t *testing.T) {
	fsys := unpacked(t, "testdata/several_before.golden")
	want := directoryOf(t, fsys).Names()
	f := fsysFile(t, fsys)
	if _, err := f.WriteAt(make([]byte, firstLogExtent), headerBytes); err != nil {
		t.Fatal(err)
	}
	d, err := OpenDirectory(f, false)
	if err != nil || len(want) != 2 || !slices.Equal(d.Names(), want) {
		t.Fatalf("%q, want %q: %v", d.Names(), want, err)
	}
	if err := directoryOf(t, fsys).Rename(want[0], "new.drx"); err != nil {
		t.Fatal(err)
	}
	if names := directoryOf(t, fsys).Names(); !slices.Contains(names, "new.drx") || len(names) != 2 {
		t.Errorf("after another entry: %q", names)
	}
}
