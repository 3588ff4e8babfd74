//go:build mpi && cgo

package mpi_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"drx/parallel/mpi"
	"drx/parallel/par"
)

// large is more bytes than an int of C can count.
const large = 1<<31 + 1<<28 + 5

// marks are the offsets at which large buffers are not zero: at the seams of the parts in which
// they may be moved.
var marks = []int{0, 1<<30 - 1, 1 << 30, 1<<31 - 1, 1 << 31, large - 1}

func marked() []byte {
	b := make([]byte, large)
	for _, at := range marks {
		b[at] = byte(at%251 + 1)
	}
	return b
}

func isMarked(what string, b []byte) error {
	if len(b) != large {
		return fmt.Errorf("%s: %d bytes", what, len(b))
	}
	for _, at := range marks {
		if b[at] != byte(at%251+1) {
			return fmt.Errorf("%s: byte %d is %d", what, at, b[at])
		}
	}
	if b[2] != 0 || b[large-3] != 0 {
		return fmt.Errorf("%s: bytes between the marks are not zero", what)
	}
	return nil
}

// TestLarge moves more than 2 GiB in each call from the last proc to the first. With two procs it
// takes 10 GiB of memory, 3 of disk and minutes, and so is started by hand:
//
//	go test -c -tags mpi -o mpi.test ./parallel/mpi && mpirun -n 2 mpi.test -test.run Large -test.v
func TestLarge(t *testing.T) {
	if !mpi.Launched() {
		t.Skip("takes 10 GiB: started by hand, by mpirun")
	}
	for _, part := range []struct {
		name string
		f    func(c par.Comm, last bool) error
	}{
		{"broadcast", largeBroadcast},
		{"gather", largeGather},
		{"all-to-all", largeAllToAll},
		{"window", largeWindow},
		{"strided", largeStrided},
		{"file", largeFile},
	} {
		t.Run(part.name, func(t *testing.T) {
			if err := mpi.Run(func(c par.Comm) error { return part.f(c, c.Proc() == c.Procs()-1) }); err != nil {
				t.Error(err)
			}
		})
	}
}

func largeBroadcast(c par.Comm, last bool) error {
	buf := make([]byte, large)
	if last {
		buf = marked()
	}
	return errors.Join(c.Broadcast(buf, c.Procs()-1), isMarked("broadcast", buf))
}

func largeGather(c par.Comm, last bool) error {
	var mine []byte
	if last {
		mine = marked()
	}
	all, err := c.Gather(mine, 0)
	if err != nil || c.Proc() != 0 {
		return err
	}
	return isMarked("gather", all[c.Procs()-1])
}

func largeAllToAll(c par.Comm, last bool) error {
	out := make([][]byte, c.Procs())
	if last {
		out[0] = marked()
	}
	in, err := c.AllToAll(out)
	if err != nil || c.Proc() != 0 {
		return err
	}
	return isMarked("all-to-all", in[c.Procs()-1])
}

func largeWindow(c par.Comm, last bool) error {
	w, err := c.Window((c.Procs() - c.Proc()) / c.Procs() * large) // large on proc 0, nothing on others
	if err != nil {
		return err
	}
	if last {
		all, got := par.Contiguous(0, large), make([]byte, large)
		err = errors.Join(w.Put(0, all, marked(), all), w.Flush(0), w.Get(0, all, got, all), isMarked("window", got))
	}
	return errors.Join(err, w.Close())
}

// largeStrided moves fewer bytes, with strides that are too large for an int of C.
func largeStrided(c par.Comm, last bool) error {
	w, err := c.Window((c.Procs() - c.Proc()) / c.Procs() * large)
	if err != nil {
		return err
	}
	if last {
		far := par.Layout{Offset: 2, Bytes: 3, Count: []int{2}, Stride: []int{large - 5}}
		got := make([]byte, 6)
		err = errors.Join(w.Put(0, far, []byte("abcdef"), par.Contiguous(0, 6)), w.Flush(0), w.Get(0, far, got, par.Contiguous(0, 6)))
		if string(got) != "abcdef" {
			err = errors.Join(err, fmt.Errorf("strided: got %q", got))
		}
	}
	return errors.Join(err, w.Close())
}

func largeFile(c par.Comm, last bool) error {
	name := filepath.Join(os.TempDir(), "drx large")
	f, err := c.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, nil)
	if err != nil {
		return err
	}
	if c.Proc() == 0 {
		defer os.Remove(name)
	}
	var pieces []par.Piece
	if last {
		pieces = []par.Piece{{Off: 3, Data: marked()}}
	}
	if err := f.WriteAll(pieces); err != nil {
		return err
	}
	if last {
		clear(pieces[0].Data)
	}
	err = f.ReadAll(pieces)
	if last {
		err = errors.Join(err, isMarked("file", pieces[0].Data))
		clear(pieces[0].Data)
	} else if c.Proc() == 0 { // overlaps, so that each proc reads by itself
		pieces = []par.Piece{{Off: 3, Data: make([]byte, 1)}}
	}
	err = errors.Join(err, f.ReadAll(pieces))
	if last {
		err = errors.Join(err, isMarked("file, by one proc", pieces[0].Data))
	}
	return errors.Join(err, f.Close())
}
