//go:build mpi && cgo

package mpi

// #include "bridge.h"
import "C"

import (
	"fmt"
	"math"
	"runtime"

	"drx/dtype"
	"drx/parallel/par"
)

// Broadcast calls MPI_Bcast, as often as its 32-bit counts require.
func (c *comm) Broadcast(buf []byte, root int) error {
	what := fmt.Sprintf("broadcast of %d bytes from proc %d", len(buf), root)
	return c.collective(what, par.CheckProc(root, c.procs), func() error {
		return c.w.call(what, func() C.int { return C.bridge_bcast(c.handle, start(buf), C.size_t(len(buf)), C.int(root)) })
	})
}

// Gather gathers all parts at one process, see gather.
func (c *comm) Gather(data []byte, root int) ([][]byte, error) {
	what := fmt.Sprintf("gather at proc %d", root)
	return c.gather(what, par.CheckProc(root, c.procs), data, root)
}

// AllGather gathers all parts at every process, see gather.
func (c *comm) AllGather(data []byte) ([][]byte, error) {
	return c.gather("all-gather", nil, data, everyProc)
}

// everyProc as the root of a gather stands for all procs.
const everyProc = -1

// gather gathers at the proc root, or at all procs if root is everyProc. It returns nil on procs
// that get nothing.
func (c *comm) gather(what string, err error, data []byte, root int) ([][]byte, error) {
	var parts [][]byte
	err = c.collective(what, err, func() error {
		lengths, err := c.lengths(data)
		if err != nil {
			return err
		}
		total := int64(0)
		for _, n := range lengths {
			total += int64(n)
		}
		if total > math.MaxInt32 { // MPI counts in 32 bits
			parts, err = c.gatherMuch(data, root)
			return err
		}
		parts, err = c.gatherAt(what, data, lengths, int(total), root)
		return err
	})
	return parts, err
}

// lengths exchanges the number of bytes that each proc has.
func (c *comm) lengths(data []byte) ([]C.int64_t, error) {
	all := make([]C.int64_t, c.procs)
	return all, c.gatherNumbers(len(data), all)
}

// gatherNumbers gathers one number of each proc in all, on all procs.
func (c *comm) gatherNumbers(mine int, all []C.int64_t) error {
	return c.w.call("MPI_Allgather", func() C.int { return C.bridge_allgather(c.handle, C.int64_t(mine), &all[0]) })
}

func (c *comm) gatherAt(what string, data []byte, lengths []C.int64_t, total, root int) ([][]byte, error) {
	here := root == everyProc || root == c.proc
	var all []byte
	if here {
		all = make([]byte, total)
	}
	counts, at := make([]C.int, c.procs), make([]C.int, c.procs)
	parts, off := make([][]byte, c.procs), 0
	for p, n := range lengths {
		counts[p], at[p] = C.int(n), C.int(off)
		if here {
			parts[p] = all[off : off+int(n) : off+int(n)]
		}
		off += int(n)
	}
	n := C.int(len(data))
	if root == everyProc {
		return parts, c.w.call(what+": MPI_Allgatherv", func() C.int {
			return C.bridge_allgatherv(c.handle, start(data), n, start(all), &counts[0], &at[0])
		})
	}
	err := c.w.call(what+": MPI_Gatherv", func() C.int {
		return C.bridge_gatherv(c.handle, start(data), n, start(all), &counts[0], &at[0], C.int(root))
	})
	if !here {
		parts = nil
	}
	return parts, err
}

// gatherMuch gathers more bytes than one call of MPI can count.
func (c *comm) gatherMuch(data []byte, root int) ([][]byte, error) {
	out := make([][]byte, c.procs)
	for p := range out {
		if root == everyProc || root == p {
			out[p] = data
		}
	}
	parts, err := c.toAll(out)
	if root != everyProc && root != c.proc {
		parts = nil
	}
	return parts, err
}

// AllToAll calls MPI_Alltoallw with the addresses of the slices.
func (c *comm) AllToAll(data [][]byte) ([][]byte, error) {
	var parts [][]byte
	err := c.collective("all-to-all", par.CheckToAll(data, c.procs), func() error {
		var err error
		parts, err = c.toAll(data)
		return err
	})
	return parts, err
}

// toAll sends out[p] to each proc p. MPI gets the addresses of the slices, so that they are not
// copied.
func (c *comm) toAll(out [][]byte) ([][]byte, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	in := make([][]byte, c.procs)
	inn, err := c.announce(out)
	if err != nil {
		return nil, err
	}
	outat, inat := make([]C.uintptr_t, c.procs), make([]C.uintptr_t, c.procs)
	outn := make([]C.int64_t, c.procs)
	for p := range in {
		in[p] = make([]byte, int(inn[p]))
		for _, b := range [][]byte{in[p], out[p]} {
			if len(b) > 0 {
				pins.Pin(&b[0])
			}
		}
		outat[p], inat[p], outn[p] = address(out[p]), address(in[p]), C.int64_t(len(out[p]))
	}
	return in, c.w.call("MPI_Alltoallw", func() C.int {
		return C.bridge_alltoall(c.handle, C.int(c.procs), &outat[0], &outn[0], &inat[0], &inn[0])
	})
}

// announce sends each proc the number of bytes that it will get from this one, and returns the
// numbers that this one will get from each.
func (c *comm) announce(out [][]byte) ([]C.int64_t, error) {
	mine, theirs := make([]C.int64_t, c.procs), make([]C.int64_t, c.procs)
	for p := range out {
		mine[p] = C.int64_t(len(out[p]))
	}
	return theirs, c.w.call("MPI_Alltoall", func() C.int { return C.bridge_alltoall_lengths(c.handle, &mine[0], &theirs[0]) })
}

// AllReduce calls MPI_Allreduce, see par.Comm. MPI decides on the order of sums.
func (c *comm) AllReduce(buf []byte, t dtype.DType, op par.Op) error {
	what := fmt.Sprintf("all-reduce %v of %d bytes of %v", op, len(buf), t)
	return c.collective(what, op.CheckReduce(t, buf), func() error {
		size := t.Size()
		return c.w.call(what, func() C.int {
			return C.bridge_allreduce(c.handle, start(buf), C.size_t(len(buf)/size), C.size_t(size), C.int(t), C.int(op))
		})
	})
}
