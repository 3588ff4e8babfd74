package vfs

import (
	"bytes"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// CopyRange copies the same bytes between files of one file system, of two, and of those that can only read and
// write.
func TestCopyRange(t *testing.T) {
	dir := t.TempDir()
	inMemory, onDisk := NewMem(), &Faulty{FS: OS, Fail: func(Op, string) error { return nil }}
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 300_000)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	for name, systems := range map[string][2]FS{"disk": {OS, OS}, "plain": {onDisk, onDisk}, "to disk": {inMemory, OS}, "from disk": {OS, inMemory}} {
		paths := [2]string{filepath.Join(dir, name+"1"), filepath.Join(dir, name+"2")}
		for i, system := range systems {
			if system == FS(inMemory) {
				paths[i] = name + paths[i][len(paths[i])-1:]
			}
		}
		from, err := systems[0].Create(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		to, err := systems[1].Create(paths[1])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := from.WriteAt(data, 0); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			off := r.Int64N(int64(len(data)))
			n := r.Int64N(int64(len(data)) - off + 1)
			want := make([]byte, len(data))
			if err := to.Truncate(0); err != nil {
				t.Fatal(err)
			}
			if err := CopyRange(to, from, off, n, make([]byte, 1000)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := to.Truncate(int64(len(data))); err != nil {
				t.Fatal(err)
			}
			copy(want[off:off+n], data[off:])
			got := make([]byte, len(data))
			if _, err := to.ReadAt(got, 0); err != nil && err != io.EOF || !bytes.Equal(got, want) {
				t.Fatalf("%s: %d bytes from %d on differ: %v", name, n, off, err)
			}
		}
		if err := CopyRange(to, from, int64(len(data))-10, 20, make([]byte, 64)); err == nil {
			t.Errorf("%s: no error beyond the end", name)
		}
		from.Close()
		to.Close()
	}
}
