package drx

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/vfs"
)

// harms are the damages of a block: it reads as zeros, as one commit earlier, or as its neighbour.
var harms = map[string]func(b, before []byte, at, n int){
	"zeros":     func(b, _ []byte, at, n int) { clear(b[at:min(at+n, len(b))]) },
	"as before": func(b, before []byte, at, n int) { copy(b[at:min(at+n, len(b))], before[at:]) },
	"exchanged": func(b, _ []byte, at, n int) {
		if at+2*n <= len(b) {
			first := bytes.Clone(b[at : at+n])
			copy(b[at:], b[at+n:at+2*n])
			copy(b[at+n:], first)
		}
	},
}

// Whatever happens to one block of a file with arrays, the arrays read as written or with an error,
// and none is missing. The commit before has other chunks and elements, but the same log, because
// the file alone cannot show that a log is too old.
func TestLostBlocks(t *testing.T) {
	enumtest.Single(t)
	for file, names := range map[string][]string{"a.drx": {"a.drx"}, "w.drx": {"w.drx/a.drx", "w.drx/b.drx"}} {
		fsys := fileset.In(vfs.NewMem())
		before := twoCommits(t, fsys, file, names)
		whole := contentOf(t, fsys, file)
		before = append(before, make([]byte, max(0, len(whole)-len(before)))...)
		errs, tried := 0, 0
		for _, n := range []int{512, 4096, 65536} {
			for at := 0; at < len(whole); at += n {
				for what, harm := range harms {
					b := bytes.Clone(whole)
					if harm(b, before, at, n); bytes.Equal(b, whole) {
						continue
					}
					tried++
					overwrite(t, fsys, file, func([]byte) []byte { return b })
					refused, err := readTwoCommits(fsys, names)
					if err != nil {
						t.Errorf("%s, block of %d bytes at %d %s: %v", file, n, at, what, err)
					}
					errs += refused
				}
			}
		}
		if tried < 50 || errs < 20 {
			t.Errorf("%s: %d states, %d errors", file, tried, errs)
		}
	}
}

// twoCommits creates arrays whose last commit has changed and added chunks, and returns the bytes
// of the file before it.
func twoCommits(t *testing.T, fsys vfs.FS, file string, names []string) (before []byte) {
	t.Helper()
	for i := range 2 {
		for _, name := range names {
			var err error
			if i == 0 {
				a, createErr := Create(name, Spec{DType: dtype.Int64, Shape: []int{8, 64}, ChunkShape: []int{1, 64}, FillValue: 5, Options: Options{fs: fsys}})
				if err = createErr; err == nil {
					sec := a.Bounds()
					sec[0].Hi = 4
					err = errors.Join(Write(a, sec, slices.Repeat([]int64{9}, 256)), a.Close())
				}
			} else if a, openErr := Open(name, Options{Write: true, fs: fsys}); openErr != nil {
				err = openErr
			} else {
				sec := a.Bounds()
				sec[0].Lo, sec[0].Hi = 2, 6
				err = errors.Join(Write(a, sec, slices.Repeat([]int64{7}, 256)), a.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if i == 0 {
			before = contentOf(t, fsys, file)
		}
	}
	return before
}

// readTwoCommits reads the arrays row by row, and counts errors of damage. It returns an error for
// elements other than those of the last commit.
func readTwoCommits(fsys vfs.FS, names []string) (refused int, err error) {
	for _, name := range names {
		a, err := Open(name, Options{fs: fsys})
		if errors.Is(err, ErrCorrupt) {
			refused++
			continue
		}
		if err != nil {
			return refused, fmt.Errorf("%s: %w", name, err)
		}
		for row, want := range []int64{9, 9, 7, 7, 7, 7, 5, 5} {
			sec := a.Bounds()
			sec[0].Lo, sec[0].Hi = row, row+1
			got, err := Read[int64](a, sec)
			if errors.Is(err, ErrCorrupt) {
				refused++
			} else if err != nil || got[0] != want || got[63] != want {
				_ = a.Close()
				return refused, fmt.Errorf("%s: row %d is %v, want %d: %v", name, row, got, want, err)
			}
		}
		if err := a.Close(); err != nil {
			return refused, err
		}
	}
	return refused, nil
}
