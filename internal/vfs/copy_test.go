package vfs_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// A scatteredFile is a file whose bytes are in another one: runs of 1000 bytes, each 3000 bytes
// after the previous one.
type scatteredFile struct{ vfs.File }

func (s scatteredFile) Locate(off int64) (file vfs.File, at, run int64, ok bool) {
	return s.File, off/1000*3000 + off%1000, 1000 - off%1000, off < 300_000
}

func (s scatteredFile) Runs() *vfs.Runs {
	return vfs.NewRuns([]vfs.Run{{To: 300_000, Every: 1000, Skip: 2000}})
}

// wantCopied checks whether the system has copied bytes since RangesCopied had the value before.
func wantCopied(t *testing.T, name string, before int64, want bool) {
	t.Helper()
	if n := vfs.RangesCopied.Load() - before; (n > 0) != (want && runtime.GOOS == "linux") {
		t.Errorf("%s: the system has copied %d pieces", name, n)
	}
}

// Bytes of files that are parts of others are copied at the right offsets.
func TestCopyRangeOfParts(t *testing.T) {
	dir := t.TempDir()
	data := make([]byte, 300_000)
	for i := range data {
		data[i] = byte(i % 251)
	}
	for name, system := range map[string]vfs.FS{"disk": vfs.OS, "plain": &vfstest.Faulty{FS: vfs.OS, Fail: func(vfstest.Op, string) error { return nil }}, "memory": vfs.NewMem()} {
		var files []vfs.File
		for _, end := range "123" {
			f, err := system.Create(filepath.Join(dir, name+string(end)))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			files = append(files, f)
		}
		if _, err := files[0].WriteAt(data, 0); err != nil {
			t.Fatal(err)
		}
		buf, before := make([]byte, 700), vfs.RangesCopied.Load()
		for _, err := range []error{
			vfs.CopyRange(scatteredFile{files[1]}, files[0], 0, 150_500, buf), vfs.CopyRange(scatteredFile{files[1]}, files[0], 150_500, 149_500, buf),
			vfs.CopyRange(files[2], scatteredFile{files[1]}, 0, 7, buf), vfs.CopyRange(files[2], scatteredFile{files[1]}, 7, 299_993, buf),
		} {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		wantCopied(t, name, before, name == "disk")
		got, part := make([]byte, len(data)), make([]byte, 1000)
		if _, err := files[2].ReadAt(got, 0); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: other bytes, %v", name, err)
		}
		if _, err := files[1].ReadAt(part, 3000*77); err != nil || !bytes.Equal(part, data[77_000:78_000]) {
			t.Errorf("%s: run 77 has other bytes, %v", name, err)
		}
	}
}

// CopyRange copies the same bytes between files of one file system, of two, and between files that
// can only read and write.
func TestCopyRange(t *testing.T) {
	dir := t.TempDir()
	inMemory, onDisk := vfs.NewMem(), &vfstest.Faulty{FS: vfs.OS, Fail: func(vfstest.Op, string) error { return nil }}
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 300_000)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	for name, systems := range map[string][2]vfs.FS{"disk": {vfs.OS, vfs.OS}, "plain": {onDisk, onDisk}, "to disk": {inMemory, vfs.OS}, "from disk": {vfs.OS, inMemory}} {
		paths := [2]string{filepath.Join(dir, name+"1"), filepath.Join(dir, name+"2")}
		for i, system := range systems {
			if system == vfs.FS(inMemory) {
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
			before := vfs.RangesCopied.Load()
			if err := vfs.CopyRange(vfs.Renamed(to, "new"), vfs.Renamed(from, "old"), off, n, make([]byte, 1000)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			wantCopied(t, name, before, name == "disk" && n > 0)
			if err := to.Truncate(int64(len(data))); err != nil {
				t.Fatal(err)
			}
			copy(want[off:off+n], data[off:])
			got := make([]byte, len(data))
			if _, err := to.ReadAt(got, 0); err != nil && err != io.EOF || !bytes.Equal(got, want) {
				t.Fatalf("%s: %d bytes from %d on differ: %v", name, n, off, err)
			}
		}
		if err := vfs.CopyRange(to, from, int64(len(data))-10, 20, make([]byte, 64)); err == nil {
			t.Errorf("%s: no error beyond the end", name)
		}
		from.Close()
		to.Close()
	}
}
