package drxmp_test

import (
	"fmt"
	"os"
	"path/filepath"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// Each of two procs writes one half of an array. The array grows, and they read a column.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	err = par.Run(2, func(c par.Comm) error {
		spec := drx.Spec{DType: dtype.Int16, Shape: []int{4, 4}, ChunkShape: []int{2, 4}}
		a, err := drxmp.Create(c, filepath.Join(dir, "a"), spec, drxmp.Options{})
		if err != nil {
			return err
		}
		zone := make([]int16, a.Zone().Len())
		for i := range zone {
			zone[i] = int16(c.Proc() + 1)
		}
		if err := drxmp.WriteAll(a, nil, zone); err != nil {
			return err
		}
		if _, err := a.Extend(1, 1); err != nil {
			return err
		}
		column := make([]int16, 4)
		if err := drxmp.ReadAll(a, nd.Sec(nd.All, nd.At(0)), column); err != nil {
			return err
		}
		if c.Proc() == 0 {
			fmt.Println(a.Shape(), column)
		}
		return a.Close()
	})
	fmt.Println(err)
	// Output:
	// [4 5] [1 1 2 2]
	// <nil>
}
