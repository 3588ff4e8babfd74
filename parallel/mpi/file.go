//go:build mpi && cgo

package mpi

// #include "bridge.h"
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"unsafe"

	"drx/internal/errkind"
	"drx/internal/vfs"
	"drx/parallel/internal/call"
	"drx/parallel/par"
)

// file is the par.RawFile of MPI-IO.
type file struct {
	name  string
	w     *world
	procs C.MPI_Comm // used by this file only, for calls in the background
	group *comm      // the same group, to gather with
	all   C.MPI_File // for collective calls
	own   C.MPI_File // of this process alone: not affected by file views
}

// OpenFile opens the file twice: for collective calls, and for calls of this process alone, see
// par.Comm. Process 0 creates and truncates it first, because the errors of MPI about that are
// uninformative.
func (c *comm) OpenFile(name string, flag int, hints map[string]string) (par.File, error) {
	f := &file{name: name, w: c.w}
	what := fmt.Sprintf("open of %s with flag %#x and hints %q", name, flag, hints)
	err := c.collective(what, par.CheckFlag(flag), func() error {
		var info C.MPI_Info
		if err := check("MPI_Info_create", C.bridge_info(&info)); err != nil {
			return err
		}
		defer C.bridge_info_free(&info)
		err := setHints(info, hints)
		if err == nil {
			err = c.prepare(name, flag)
		}
		if err := c.barrier(what+": prepared", err); err != nil {
			return err
		}
		return f.open(c, what, flag&os.O_RDWR != 0, info)
	})
	if err != nil {
		return nil, err
	}
	return par.NewFile(c, f, flag&os.O_RDWR != 0), nil
}

// prepare creates and truncates the file on one proc. It returns the error of that.
func (c *comm) prepare(name string, flag int) error {
	if c.proc != 0 {
		return nil
	}
	f, err := call.Open(vfs.Devices, name, flag)
	if err != nil {
		return err
	}
	return f.Close()
}

// open opens both handles. If one proc fails to open the first, no proc opens the second.
func (f *file) open(c *comm, what string, writable bool, info C.MPI_Info) error {
	if err := c.w.call("MPI_Comm_dup", func() C.int { return C.bridge_dup(c.handle, &f.procs) }); err != nil {
		return err
	}
	f.group = &comm{w: c.w, handle: f.procs, proc: c.proc, procs: c.procs}
	name := C.CString(fileName(f.name))
	defer C.free(unsafe.Pointer(name))
	mode := C.int(0)
	if writable {
		mode = 1
	}
	err := c.w.call(f.name+": MPI_File_open", func() C.int { return C.bridge_open(f.procs, 0, name, mode, info, &f.all) })
	if err := c.barrier(what+": opened", err); err != nil {
		return first(err, c.w.free(f.procs))
	}
	alone := check(f.name, C.bridge_open(f.procs, 1, name, mode, info, &f.own))
	if err := c.barrier(what+": opened by each", alone); err != nil {
		if alone == nil {
			C.bridge_close(&f.own)
		}
		return first(err, f.closeAll(), c.w.free(f.procs))
	}
	return nil
}

// first returns the first error. All arguments are evaluated, because in most of these steps the
// other procs wait for this one.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func setHints(info C.MPI_Info, hints map[string]string) error {
	for key, value := range hints {
		k, v := C.CString(key), C.CString(value)
		err := check(fmt.Sprintf("hint %s=%s", key, value), C.bridge_info_set(info, k, v))
		C.free(unsafe.Pointer(k))
		C.free(unsafe.Pointer(v))
		if err != nil {
			return err
		}
	}
	return nil
}

// Name returns the name that the file was opened with.
func (f *file) Name() string { return f.name }

// Size calls MPI_File_get_size.
func (f *file) Size() (int64, error) {
	if err := f.w.checkThread(); err != nil {
		return 0, err
	}
	var n C.int64_t
	err := check(f.name, C.bridge_file_size(f.own, &n))
	return int64(n), err
}

// most is the largest number of bytes in one call of MPI, which counts in 32 bits.
const most = 1 << 30

// readAt calls MPI_File_read_at, as often as its 32-bit counts require. It returns io.EOF at the
// end of the file.
func (f *file) readAt(p []byte, off int64) (int, error) {
	n, err := f.inSteps(p, off, func(buf unsafe.Pointer, n C.int, off C.int64_t, moved *C.int64_t) C.int {
		return C.bridge_read_at(f.own, off, buf, n, moved)
	})
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// writeAt calls MPI_File_write_at, as often as its 32-bit counts require.
func (f *file) writeAt(p []byte, off int64) (int, error) {
	n, err := f.inSteps(p, off, func(buf unsafe.Pointer, n C.int, off C.int64_t, moved *C.int64_t) C.int {
		return C.bridge_write_at(f.own, off, buf, n, moved)
	})
	if err == nil && n < len(p) {
		err = errkind.Errorf(io.ErrShortWrite, "%s: write at offset %d", f.name, off)
	}
	return n, err
}

// inSteps moves bytes, most at a time, until a step moves fewer than it should.
func (f *file) inSteps(p []byte, off int64,
	step func(buf unsafe.Pointer, n C.int, off C.int64_t, moved *C.int64_t) C.int,
) (int, error) {
	if err := f.w.checkThread(); err != nil {
		return 0, err
	}
	done := 0
	for done < len(p) {
		n := min(len(p)-done, most)
		var moved C.int64_t
		code := step(unsafe.Pointer(&p[done]), C.int(n), C.int64_t(off+int64(done)), &moved)
		if err := check(fmt.Sprintf("%s: at offset %d", f.name, off+int64(done)), code); err != nil {
			return done, err
		}
		done += int(moved)
		if int(moved) < n {
			break
		}
	}
	return done, nil
}

// WriteAll calls MPI_File_write_all with the pieces as two hindexed types, see move and lengthen.
func (f *file) WriteAll(pieces []par.Piece) error {
	if err := f.w.checkThread(); err != nil { // in the background
		return err
	}
	barrier := func() C.int { return C.bridge_barrier(f.procs) }
	return first(f.lengthen(pieces), f.w.call(f.name+": MPI_Barrier", barrier), f.move(pieces, 1, "write", io.ErrShortWrite))
}

// lengthen writes the last byte of all pieces before the others. MPI-IO may write pieces by reading
// the bytes between them and writing these back; beyond the old end of the file, MPICH then leaves
// bytes of its memory there. Setting the size would avoid that too, but undo what another program
// appends at the same time.
func (f *file) lengthen(pieces []par.Piece) error {
	n := len(pieces)
	for n > 0 && len(pieces[n-1].Data) == 0 {
		n--
	}
	if n == 0 {
		return nil
	}
	last := pieces[n-1]
	end := last.Off + int64(len(last.Data))
	if size, err := f.Size(); err != nil || end <= size {
		return err
	}
	_, err := f.writeAt(last.Data[len(last.Data)-1:], end-1)
	return err
}

// move passes the pieces to MPI as two hindexed types, one of the file and one of memory.
func (f *file) move(pieces []par.Piece, write C.int, what string, short error) error {
	var pins runtime.Pinner
	defer pins.Unpin()
	n := len(pieces)
	off, at, length := make([]C.int64_t, 0, n+1), make([]C.uintptr_t, 0, n+1), make([]C.int, 0, n+1)
	total := 0
	for _, p := range pieces {
		total += len(p.Data)
		for done := 0; done < len(p.Data); done += most {
			part := p.Data[done:min(done+most, len(p.Data))]
			pins.Pin(&part[0])
			off, at, length = append(off, C.int64_t(p.Off+int64(done))), append(at, address(part)), append(length, C.int(len(part)))
		}
	}
	n = len(off)
	off, at, length = append(off, 0), append(at, 0), append(length, 0) // every list needs an element
	var moved C.int64_t
	err := f.w.call(f.name+": "+what, func() C.int {
		return C.bridge_pieces(f.all, write, C.int(n), &off[0], &at[0], &length[0], &moved)
	})
	if err == nil && int(moved) != total {
		err = fmt.Errorf("%s: %s of %d bytes moved %d: %w", f.name, what, total, int(moved), short)
	}
	return err
}

// Sync calls MPI_File_sync on both handles, each of which knows only its own writes.
func (f *file) Sync() error {
	return first(check(f.name, C.bridge_file_sync(f.own)),
		f.w.call(f.name+": MPI_File_sync", func() C.int { return C.bridge_file_sync(f.all) }))
}

// Close closes both handles and frees their communicator.
func (f *file) Close() error {
	return first(check(f.name, C.bridge_close(&f.own)), f.closeAll(), f.w.free(f.procs))
}

// closeAll closes the handle for collective calls.
func (f *file) closeAll() error {
	return f.w.call(f.name+": MPI_File_close", func() C.int { return C.bridge_close(&f.all) })
}
