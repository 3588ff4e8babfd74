package drx

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// A steppedWriter is a writer that waits before each operation that changes a file until it may
// continue.
type steppedWriter struct {
	arrived chan bool // before an operation; closed when the writer is done
	proceed chan struct{}
	done    int
	ended   bool
	err     error
}

// startSteppedWriter starts a writer and returns it before its first operation.
func startSteppedWriter(disk vfs.FS, write func(fsys vfs.FS) error) *steppedWriter {
	w := &steppedWriter{arrived: make(chan bool), proceed: make(chan struct{})}
	fsys := vfstest.Faulty{FS: disk, Fail: func(op vfstest.Op, _ string) error {
		switch op {
		case vfstest.OpCreate, vfstest.OpRemove, vfstest.OpRename, vfstest.OpWrite, vfstest.OpTruncate, vfstest.OpPunch:
			w.arrived <- true
			<-w.proceed
		}
		return nil
	}}
	go func() {
		w.err = write(fsys)
		close(w.arrived)
	}()
	w.ended = !<-w.arrived
	return w
}

// until lets the writer continue until it has done n operations, or all.
func (w *steppedWriter) until(n int) {
	for ; w.done < n && !w.ended; w.done++ {
		w.proceed <- struct{}{}
		w.ended = !<-w.arrived
	}
}

// everything is more than the number of operations of any writer in these tests.
const everything = 1 << 20

// A snapshot is the contents of an array at one commit. Each element identifies the commit that
// wrote it, and every commit with a line in the log sets an attribute.
type snapshot struct {
	version int
	values  []uint8
}

// A stepKind is a task of the writer while a reader reads. It returns the contents of the array
// after each of its commits.
type stepKind struct {
	name    string
	write   func(fsys vfs.FS) error
	commits []snapshot
}

// steppedFill is the fill value.
const steppedFill = 0

// newSteppedDisk creates an array of three chunks of four elements, the last of which is never
// written: in one file if n is odd.
func newSteppedDisk(t *testing.T, n int) vfs.FS {
	t.Helper()
	disk := vfs.NewMem()
	a, err := Create(formOf("a", uint64(n)), Spec{DType: dtype.Uint8, Shape: []int{12}, ChunkShape: []int{4}, FillValue: steppedFill, Options: Options{fs: disk}})
	if err == nil {
		err = errors.Join(Fill(a, upTo(8), uint8(1)), a.SetAttr("version", 1), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return disk
}

// A stepWriter makes one step of a kind on an open array.
type stepWriter func(a *Array) error

func upTo(n int) nd.Section { return nd.Sec(nd.Span(0, n)) }

// commitStep fills the first n elements with v, unless n is 0, sets the version, unless that is 0,
// and commits.
func commitStep(n int, v uint8, version int) stepWriter {
	return func(a *Array) error {
		var err error
		if n > 0 {
			err = Fill(a, upTo(n), v)
		}
		if version > 0 {
			err = errors.Join(err, a.SetAttr("version", version))
		}
		return errors.Join(err, a.Sync())
	}
}

func stepKinds() []stepKind {
	all := func(n int, v uint8) []uint8 { return bytes.Repeat([]uint8{v}, n) }
	first := snapshot{1, slices.Concat(all(8, 1), all(4, steppedFill))}
	writing := func(o Options, steps ...stepWriter) func(vfs.FS) error {
		return func(fsys vfs.FS) error {
			o.fs = fsys
			a, err := Open("a", o)
			for _, step := range steps {
				if err == nil {
					err = step(a)
				}
			}
			if err != nil {
				return err
			}
			return a.Close()
		}
	}
	w, shared := Options{Write: true}, Options{Shared: true}
	return []stepKind{
		{"elements and attribute", writing(w, commitStep(12, 2, 2)), []snapshot{first, {2, all(12, 2)}}},
		{"attribute", writing(w, commitStep(0, 0, 2)), []snapshot{first, {2, first.values}}},
		{"elements", writing(w, commitStep(12, 2, 0)), []snapshot{first, {1, all(12, 2)}}},
		{
			"several", writing(w, commitStep(12, 2, 2), commitStep(12, 3, 0), commitStep(12, 4, 3), commitStep(0, 0, 4)),
			[]snapshot{first, {2, all(12, 2)}, {2, all(12, 3)}, {3, all(12, 4)}, {4, all(12, 4)}},
		},
		{
			"shrink", writing(w, func(a *Array) error { return errors.Join(a.Shrink(0, 5), commitStep(7, 2, 2)(a)) }),
			[]snapshot{first, {2, all(7, 2)}},
		},
		{
			"extend", writing(w, func(a *Array) error {
				_, err := a.Extend(0, 6)
				return errors.Join(err, commitStep(18, 2, 2)(a))
			}),
			[]snapshot{first, {2, all(18, 2)}},
		},
		{
			"compact", writing(w, func(a *Array) error {
				err := errors.Join(Fill(a, nil, uint8(2)), a.SetAttr("version", 2))
				return errors.Join(err, a.Compact(context.Background(), nil), commitStep(12, 3, 3)(a))
			}),
			[]snapshot{first, {2, all(12, 2)}, {3, all(12, 3)}},
		},
		{
			"reserve", writing(shared, func(a *Array) error {
				added, err := a.Reserve(0, 4)
				return errors.Join(err, Fill(a, added, uint8(2)), a.Sync())
			}),
			[]snapshot{first, {1, slices.Concat(first.values, all(4, steppedFill))}, {1, slices.Concat(first.values, all(4, 2))}},
		},
	}
}
