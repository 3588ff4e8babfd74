package pexta_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"drx/dtype"
	"drx/nd"
	"drx/parallel/par"
)

// TestVisible: in all layouts, others see a put after Sync and not before; the proc itself sees it
// at once.
func TestVisible(t *testing.T) {
	box := nd.Sec(nd.Span(1, 6), nd.Span(0, 5))
	want := make([]byte, 25)
	for i := range want {
		want[i] = byte(i + 1)
	}
	for _, l := range []layout{
		{}, {Procs: []int{1}}, {Cyclic: []int{2, 3}}, {Begins: [][]int{{0, 1}, {0}}}, {Ghosts: []int{1, 2}}, {Ghosts: []int{2, 0}, Local: true},
	} {
		err := par.Run(3, func(c par.Comm) error {
			a, err := newGA(c, dtype.Int8, []int{7, 5}, l)
			if err != nil {
				return err
			}
			if c.Proc() == 0 {
				err = a.Put(box, want)
			}
			if err := c.Agree("put", err); err != nil {
				return err
			}
			got := make([]byte, 25)
			for _, synced := range []bool{false, true} {
				err := a.Get(box, got)
				if seen := bytes.Equal(got, want); err == nil && seen != (synced || c.Proc() == 0) {
					err = fmt.Errorf("synced %v: %v", synced, got)
				}
				if err := c.Agree("get", err); err != nil { // before another proc syncs
					return err
				}
				if err := a.Sync(); err != nil {
					return err
				}
			}
			return a.ofOwner(want)
		})
		if err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// ofOwner compares the memory returned by Access with elements [1, 6) x [0, 5) of the array.
func (a *globalArray) ofOwner(want []byte) error {
	own, mem, strides, release, err := a.Access()
	if err != nil || own == nil {
		return err
	}
	for i := max(1, own[0].Lo); i < min(6, own[0].Hi); i++ {
		for j := own[1].Lo; j < own[1].Hi; j++ {
			if got := mem[(i-own[0].Lo)*strides[0]+(j-own[1].Lo)*strides[1]]; got != want[(i-1)*5+j] {
				return fmt.Errorf("element %d, %d in memory is %d", i, j, got)
			}
		}
	}
	if a.Accesses() != 1 {
		return errors.New("its access does not count")
	}
	release()
	return nil
}

// TestOwners: the results of Distribution are the blocks of procs with one block, and do not
// overlap.
func TestOwners(t *testing.T) {
	err := par.Run(4, func(c par.Comm) error {
		for _, l := range []layout{{}, {Procs: []int{3, 0}}, {Begins: [][]int{{0, 1, 5}, {0}}}} {
			a, err := newGA(c, dtype.Int8, []int{9, 4}, l)
			if err != nil {
				return err
			}
			sum := 0
			for p := range 4 {
				if box := a.Distribution(p); box != nil {
					n, _ := box.Len()
					sum += n
				}
			}
			if sum != 36 || l.Procs != nil && a.Distribution(1) != nil {
				return fmt.Errorf("%+v: %d elements have an owner", l, sum)
			}
		}
		a, err := newGA(c, dtype.Int8, []int{9, 4}, layout{Cyclic: []int{1, 1}})
		if err != nil || a.Distribution(0) != nil {
			return fmt.Errorf("block-cyclic: %v, %w", a.Distribution(0), err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestStrict: calls on other goroutines are errors, and counted.
func TestStrict(t *testing.T) {
	err := par.Run(1, func(c par.Comm) error {
		s := newStrict(c)
		part, err := s.Split(0, 0)
		if err != nil {
			return err
		}
		a, err := newGA(part, dtype.Int8, []int{2}, layout{Local: true})
		if err != nil {
			return err
		}
		one, data := nd.Sec(nd.At(0)), []byte{1}
		calls := []func() error{
			part.Barrier,
			func() error { return part.Agree("", nil) },
			func() error { return part.Broadcast(data, 0) },
			func() error { _, err := part.Gather(data, 0); return err },
			func() error { _, err := part.AllGather(data); return err },
			func() error { _, err := part.AllToAll([][]byte{data}); return err },
			func() error { return part.AllReduce(data, dtype.Int8, par.Sum) },
			func() error { return a.Get(one, data) },
			func() error { return a.Put(one, data) },
			a.Sync,
			func() error { return a.Regrow([]int{3}) },
			func() error { _, _, _, _, err := a.Access(); return err },
		}
		for i, call := range calls {
			if err := call(); err != nil {
				return fmt.Errorf("call %d: %w", i, err)
			}
		}
		done := make(chan error)
		for i, call := range calls {
			go func() { done <- call() }()
			if err := <-done; !errors.Is(err, par.ErrArgument) {
				return fmt.Errorf("call %d elsewhere: %w", i, err)
			}
		}
		if s.Wrong() < len(calls) {
			return fmt.Errorf("%d wrong calls of %d", s.Wrong(), len(calls))
		}
		return part.Close()
	})
	if err != nil {
		t.Error(err)
	}
}

// TestWrong: arguments that package pexta may not pass are refused.
func TestWrong(t *testing.T) {
	err := par.Run(1, func(c par.Comm) error {
		a, err := newGA(c, dtype.Int32, []int{4}, layout{})
		if err != nil {
			return err
		}
		for i, err := range []error{
			a.Get(nd.Sec(nd.Span(0, 5)), make([]byte, 20)), a.Put(nd.Sec(nd.Span(1, 2)), make([]byte, 5)),
			a.Get(nd.Sec(nd.Span(1, 1)), nil), a.Put(nd.Sec(nd.At(0), nd.At(0)), make([]byte, 4)),
		} {
			if err == nil {
				return fmt.Errorf("call %d is accepted", i)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
