package fileset

import (
	"bytes"
	"path/filepath"
	"runtime"
	"testing"

	"drx/internal/vfs"
)

// The system copies bytes of arrays in files with several by itself, into them and out of them.
func TestSystemCopiesMembers(t *testing.T) {
	dir, data := t.TempDir(), bytes.Repeat([]byte("chunk"), 20_000)
	var files []vfs.File
	for _, name := range []string{"w.drx/a.drx", "v.drx/a.drx", "one.drx"} {
		f, err := OS().Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		array := newInOne(f)
		if err := array.Format(1000, 0, false); err != nil {
			t.Fatal(err)
		}
		if err := array.container.Preallocate(int64(len(data))/1000, 0); err != nil {
			t.Fatal(err)
		}
		defer array.Close()
		files = append(files, array.Data)
	}
	if _, err := files[0].WriteAt(data, 0); err != nil {
		t.Fatal(err)
	}
	for i := range len(files) - 1 {
		before := vfs.RangesCopied.Load()
		if err := vfs.CopyRange(files[i+1], files[i], 0, int64(len(data)), make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		if n := vfs.RangesCopied.Load() - before; (n > 0) != (runtime.GOOS == "linux") {
			t.Errorf("copy %d: the system has copied %d pieces", i, n)
		}
	}
	got := make([]byte, len(data))
	if _, err := files[2].ReadAt(got, 0); err != nil || !bytes.Equal(got, data) {
		t.Errorf("other bytes, %v", err)
	}
}
