package pexta_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"drx/dtype"
	"drx/nd"
	"drx/parallel/par"
	"drx/parallel/pexta"
)

// Two procs write a global array, extend its file, and let the global array grow.
func ExampleSession() {
	dir, _ := os.MkdirTemp("", "pexta")
	defer os.RemoveAll(dir)
	err := par.Run(2, func(c par.Comm) error {
		g, err := newGA(c, dtype.Int32, []int{2, 3}, layout{})
		if err != nil {
			return err
		}
		if c.Proc() == 0 {
			err = g.Put(nd.Sec(nd.Span(0, 2), nd.Span(0, 3)), dtype.Bytes([]int32{1, 2, 3, 4, 5, 6}))
		}
		s := pexta.Start(pexta.Options{MaxMemory: 8 << 20})
		h, created := s.Create(c, pexta.Spec{Type: dtype.Int32, Shape: []int{2, 3}, File: filepath.Join(dir, "heat"), Like: g})
		if err := errors.Join(err, created); err != nil {
			return err
		}
		write, err := s.Write(g, h)
		if err != nil {
			return err
		}
		extend, err := s.Extend(h, []int{0, 2}, []int{1, -1}) // two columns
		if err != nil {
			return err
		}
		read, err := s.IRead(g, h)
		if err := errors.Join(err, s.Wait(write), s.Wait(extend), s.Wait(read)); err != nil {
			return err
		}
		row := make([]int32, 5)
		err = g.Get(nd.Sec(nd.At(1), nd.Span(0, 5)), dtype.Bytes(row))
		if c.Proc() == 1 {
			fmt.Println(g.Shape(), row)
		}
		return errors.Join(err, s.Terminate())
	})
	fmt.Println(err)
	// Output:
	// [2 5] [4 5 6 0 0]
	// <nil>
}
