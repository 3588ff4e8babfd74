package pexta_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"drx/dtype"
	"drx/nd"
	"drx/parallel/par"
	"drx/parallel/pexta"
)

// TestReadersOfGrowing: two jobs read an array repeatedly, each into a global array that grows,
// while another job extends it. They see only whole commits: all elements of row i are i + 1.
func TestReadersOfGrowing(t *testing.T) {
	const rows, columns = 20, 30
	file := filepath.Join(t.TempDir(), "a")
	created := make(chan bool)
	var wg sync.WaitGroup
	job := func(procs int, f func(c par.Comm) error) {
		wg.Go(func() {
			if err := par.Run(procs, f); err != nil {
				t.Errorf("job of %d procs: %v", procs, err)
			}
		})
	}
	job(3, func(c par.Comm) error { return growRows(c, file, rows, columns, created) })
	<-created
	for _, procs := range []int{1, 2} {
		job(procs, func(c par.Comm) error { return followRows(c, file, rows, columns) })
	}
	wg.Wait()
}

// growRows creates an array of one row, and adds others one by one.
func growRows(c par.Comm, file string, rows, columns int, created chan<- bool) error {
	once := sync.OnceFunc(func() { close(created) })
	if c.Proc() == 0 {
		defer once() // also after an error
	}
	s := pexta.Start(pexta.Options{MaxMemory: pexta.MinMaxMemory})
	h, err := s.Create(c, pexta.Spec{Type: dtype.Float32, Shape: []int{1, columns}, ChunkShape: []int{3, 7}, File: file})
	if err != nil {
		return err
	}
	g, err := newGA(c, dtype.Float32, []int{1, columns}, layout{})
	if err != nil {
		return err
	}
	all := nd.Sec(nd.Span(0, 1), nd.Span(0, columns))
	for i := range rows {
		if c.Proc() == 0 {
			if err := g.Put(all, dtype.Bytes(slices.Repeat([]float32{float32(i + 1)}, columns))); err != nil {
				return err
			}
		}
		if i > 0 {
			if _, err := s.Extend(h, []int{1, 0}, []int{0, -1}); err != nil {
				return err
			}
		}
		r, err := s.WriteSection(false, g, nil, h, nd.Sec(nd.Span(i, i+1), nd.Span(0, columns)))
		if err != nil {
			return err
		}
		if err := s.Wait(r); err != nil { // commits the extension, too
			return err
		}
		if c.Proc() == 0 {
			once()
		}
	}
	return s.Terminate()
}

// followRows reads an array until it has all rows.
func followRows(c par.Comm, file string, rows, columns int) error {
	s := pexta.Start(pexta.Options{MaxMemory: pexta.MinMaxMemory})
	h, err := s.Open(c, file, pexta.ReadOnly)
	if err != nil {
		return err
	}
	g, err := newGA(c, dtype.Float32, []int{1, columns}, layout{Local: c.Procs() == 2})
	if err != nil {
		return err
	}
	for seen := 0; seen < rows; {
		r, err := s.IRead(g, h)
		if err == nil {
			err = s.Wait(r)
		}
		if err != nil {
			return err
		}
		now := g.Shape()[0]
		if now < seen {
			err = fmt.Errorf("%d rows after %d", now, seen)
		}
		seen = now
		data := make([]float32, seen*columns)
		err = errors.Join(err, g.Get(whole(g.Shape()), dtype.Bytes(data)))
		for i, x := range data {
			if x != float32(i/columns+1) && err == nil {
				err = fmt.Errorf("of %d rows, row %d has %v", seen, i/columns, x)
			}
		}
		if err := c.Agree("rows", err); err != nil {
			return err
		}
	}
	return s.Terminate()
}
