package partest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"drx/dtype"
	"drx/parallel/par"
)

func testWindow(t *testing.T, launch Launch) {
	program(t, launch, "history", windowHistory)
	program(t, launch, "accumulate", accumulates)
	program(t, launch, "flush", flushes)
	program(t, launch, "arguments", windowArguments)
	program(t, launch, "closed under a call", closedUnder)
}

// sizeOf returns the size of a proc's window: one is empty, and no two are equal.
func sizeOf(proc int) int { return proc * 1237 }

// offsets returns the offsets of the bytes of a layout, in their order, by the definition.
func offsets(l par.Layout) []int {
	all := []int{l.Offset}
	for d, c := range l.Count {
		var next []int
		for _, at := range all {
			for i := range c {
				next = append(next, at+i*l.Stride[d])
			}
		}
		all = next
	}
	var bytes []int
	for _, at := range all {
		for i := range l.Bytes {
			bytes = append(bytes, at+i)
		}
	}
	return bytes
}

// randomLayout returns a layout in a buffer of size bytes, in units of unit bytes. Its bytes do not
// overlap: every stride is at least the extent of the inner dimensions.
func randomLayout(r *rand.Rand, size, unit int) par.Layout {
	for {
		l := par.Layout{Bytes: unit * (1 + r.IntN(12))}
		span := l.Bytes
		dims := r.IntN(4)
		l.Count, l.Stride = make([]int, dims), make([]int, dims)
		for d := dims - 1; d >= 0; d-- {
			l.Count[d] = 1 + r.IntN(4)
			l.Stride[d] = span + unit*r.IntN(5)
			span += (l.Count[d] - 1) * l.Stride[d]
		}
		if r.IntN(20) == 0 {
			l.Bytes = 0
		}
		if span <= size {
			l.Offset = unit * r.IntN((size-span)/unit+1)
			return l
		}
	}
}

// asList returns a layout of as many bytes in another form, pieces of equal size with gaps, and the
// size of the buffer for it.
func asList(r *rand.Rand, n int) (par.Layout, int) {
	piece := n
	for _, p := range []int{2, 3, 4, 8} {
		if n%p == 0 && r.IntN(2) == 0 {
			piece = n / p
		}
	}
	if n == 0 {
		return par.Contiguous(r.IntN(3), 0), 3
	}
	gap := r.IntN(3)
	l := par.Layout{Offset: r.IntN(5), Bytes: piece, Count: []int{n / piece}, Stride: []int{piece + gap}}
	return l, l.Offset + n/piece*(piece+gap)
}

// An access is one random one-sided call of one proc in one round.
type access struct {
	origin, target int
	write          bool
	there, here    par.Layout
	size           int // size of the buffer
	seed           uint64
}

// accesses returns the accesses of all procs in a round, the same on all procs. Bytes that a put
// changes are in no other access of the round.
func accesses(r *rand.Rand, procs int) []access {
	var all []access
	written, got := map[[2]int]bool{}, map[[2]int]bool{} // target and offset
	for range 6 * procs {
		a := access{origin: r.IntN(procs), target: r.IntN(procs), write: r.IntN(2) == 0, seed: r.Uint64()}
		if sizeOf(a.target) == 0 {
			continue
		}
		a.there = randomLayout(r, sizeOf(a.target), 1)
		a.here, a.size = asList(r, a.there.Size())
		free := true
		for _, at := range offsets(a.there) {
			free = free && !written[[2]int{a.target, at}] && !(a.write && got[[2]int{a.target, at}])
		}
		if !free {
			continue
		}
		for _, at := range offsets(a.there) {
			written[[2]int{a.target, at}] = a.write
			got[[2]int{a.target, at}] = !a.write
		}
		all = append(all, a)
	}
	return all
}

// windowHistory makes random accesses in rounds, and compares all memory with a serial model of it.
func windowHistory(c par.Comm) error {
	w, err := c.Window(sizeOf(c.Proc()))
	if err != nil {
		return err
	}
	model := make([][]byte, c.Procs())
	for p := range model {
		model[p] = make([]byte, sizeOf(p))
		if err := equal("size", w.Size(p), sizeOf(p)); err != nil {
			return err
		}
	}
	for round := range 25 {
		for _, a := range accesses(random(uint64(round), uint64(c.Procs())), c.Procs()) {
			if err := play(c, w, a, model[a.target]); err != nil {
				return fmt.Errorf("round %d: %+v: %w", round, a, err)
			}
		}
		if err := w.Fence(); err != nil {
			return err
		}
		if err := same(fmt.Sprintf("round %d", round), w.Local(), model[c.Proc()]); err != nil {
			return err
		}
		for i := range w.Local() { // the owner changes its memory, too
			w.Local()[i]++
		}
		for p := range model {
			for i := range model[p] {
				model[p][i]++
			}
		}
		if err := w.Fence(); err != nil {
			return err
		}
	}
	return w.Close()
}

// play makes an access if it is this proc's, and makes it in the model in any case.
func play(c par.Comm, w par.Window, a access, memory []byte) error {
	buf := noise(a.size, a.seed)
	there, here := offsets(a.there), offsets(a.here)
	want := noise(a.size, a.seed)
	for i := range there {
		if a.write {
			memory[there[i]] = buf[here[i]]
		} else {
			want[here[i]] = memory[there[i]]
		}
	}
	switch {
	case a.origin != c.Proc():
		return nil
	case a.write:
		err := w.Put(a.target, a.there, buf, a.here)
		clear(buf) // the buffer may be reused
		return err
	default:
		return errors.Join(w.Get(a.target, a.there, buf, a.here), same("got", buf, want))
	}
}

// flushes: after Flush and a Barrier, other procs see what was put.
func flushes(c par.Comm) error {
	w, err := c.Window(8)
	if err != nil {
		return err
	}
	next, before := (c.Proc()+1)%c.Procs(), (c.Proc()+c.Procs()-1)%c.Procs()
	for i := range uint64(30) {
		// Proc p writes to the next proc, and the one after that reads it.
		var b, got [8]byte
		binary.LittleEndian.PutUint64(b[:], i+1)
		err := errors.Join(w.Put(next, par.Contiguous(0, 8), b[:], par.Contiguous(0, 8)), w.Flush(next))
		err = errors.Join(err, c.Barrier(), w.Get(before, par.Contiguous(0, 8), got[:], par.Contiguous(0, 8)))
		if err := errors.Join(err, same("flushed", got[:], b[:]), c.Barrier()); err != nil {
			return err
		}
	}
	return w.Close()
}

func windowArguments(c par.Comm) error {
	var refused error
	size := 16
	if c.Proc() == c.Procs()-1 {
		size = -1
	}
	_, refused = c.Window(size)
	w, err := c.Window(16)
	if err != nil {
		return err
	}
	buf, one := make([]byte, 16), par.Contiguous(0, 8)
	get := func(proc int, l par.Layout) error { return w.Get(proc, l, buf, one) }
	errs := []error{
		is("size", refused, par.ErrArgument), from("size", refused, c.Procs()-1),
		is("proc", get(c.Procs(), one), par.ErrArgument),
		is("flush", w.Flush(-1), par.ErrArgument),
		is("end", get(0, par.Contiguous(9, 8)), par.ErrArgument),
		is("offset", get(0, par.Contiguous(-1, 8)), par.ErrArgument),
		is("stride", get(0, par.Layout{Bytes: 4, Count: []int{2}, Stride: []int{-4}}), par.ErrArgument),
		is("strides", get(0, par.Layout{Bytes: 4, Count: []int{2}}), par.ErrArgument),
		is("size", get(0, par.Contiguous(0, 4)), par.ErrSize),
		is("buffer", w.Put(0, one, buf[:4], one), par.ErrArgument),
		is("elements", w.Accumulate(0, par.Contiguous(4, 8), buf, one, dtype.Int64, par.Sum), par.ErrArgument),
		is("operation", w.Accumulate(0, one, buf, one, dtype.Float64, par.And), dtype.ErrDType),
		equal("size of none", w.Size(c.Procs()), 0),
		w.Fence(),
		closeTogether(c, w),
		equal("memory after close", len(w.Local()), 0),
		is("after close", get(0, one), par.ErrClosed),
		is("after close", w.Fence(), par.ErrClosed),
		is("after close", w.Close(), par.ErrClosed),
	}
	return errors.Join(errs...)
}

// closeTogether closes a window. The window stays open if a proc makes another call.
func closeTogether(c par.Comm, w par.Window) error {
	if c.Procs() == 1 {
		return w.Close()
	}
	closes := w.Close
	if c.Proc() == 0 {
		closes = c.Barrier
	}
	got, one := make([]byte, 8), par.Contiguous(0, 8)
	return errors.Join(is("close", closes(), par.ErrDisagree), w.Get(0, one, got, one), w.Fence(), w.Close())
}

// closedUnder closes a window while another goroutine of each proc uses it.
func closedUnder(c par.Comm) error {
	w, err := c.Window(1 << 12)
	if err != nil {
		return err
	}
	used := make(chan error, 1)
	go func() {
		all := par.Contiguous(0, 1<<12)
		buf := make([]byte, 1<<12)
		var err error
		for p := 0; err == nil; p++ {
			err = w.Get(p%c.Procs(), all, buf, all)
		}
		used <- err
	}()
	return errors.Join(w.Fence(), w.Close(), is("use", <-used, par.ErrClosed))
}
