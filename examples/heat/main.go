// Command heat simulates a plate that is heated at one edge and grows at the other. It draws
// plate.png.
//
//	go run ./examples/heat -procs 4     (or built with -tags mpi: mpirun -n 4 heat)
package main

import (
	"errors"
	"image"
	"image/png"
	"os"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
	"drx/parallel/spmd"
)

func main() { spmd.Main(plate) }

func plate(c par.Comm) error {
	a, err := drxmp.Create(c, "plate", drx.Spec{DType: dtype.Float64, Shape: []int{64, 32}, ChunkShape: []int{16, 16}}, drxmp.Options{})
	if err != nil {
		return err
	}
	g, err := drxmp.NewGlobalArray[float64](a)
	if err != nil {
		return err
	}
	for growth := 0; err == nil && growth < 6; growth++ {
		_, err = a.Extend(1, 16)
		err = errors.Join(err, g.Follow())
		for step := 0; err == nil && step < 300; step++ {
			err = warm(g, a.Bounds())
		}
		if err == nil {
			err = g.Store()
		}
		if err == nil { // an incomplete plate is not committed
			err = a.Sync()
		}
	}
	if err == nil && c.Proc() == 0 {
		err = draw(a)
	}
	return errors.Join(err, g.Close(), a.Close())
}

// warm computes one step: each element becomes the mean of its neighbours. The edge before column 0
// is kept at 1.
func warm(g *drxmp.GlobalArray[float64], all nd.Section) (err error) {
	var next []float64
	for _, zone := range g.Zone().Sections() { // one section, or none for a proc without elements
		rows := nd.Span(max(all[0].Lo, zone[0].Lo-1), min(all[0].Hi, zone[0].Hi+1))
		cols := nd.Span(max(all[1].Lo, zone[1].Lo-1), min(all[1].Hi, zone[1].Hi+1))
		near := make([]float64, rows.Len()*cols.Len())
		err = errors.Join(err, g.Get(nd.Sec(rows, cols), near))
		// Before column 0 the value is 1, elsewhere outside it is that of the nearest edge.
		at := func(r, c int) float64 {
			r, c = min(max(r, rows.Lo), rows.Hi-1), min(c, cols.Hi-1)
			if c < cols.Lo {
				return 1
			}
			return near[(r-rows.Lo)*cols.Len()+c-cols.Lo]
		}
		for i, n := 0, zone[1].Len(); i < zone[0].Len()*n; i++ {
			r, c := zone[0].Lo+i/n, zone[1].Lo+i%n
			next = append(next, (at(r-1, c)+at(r+1, c)+at(r, c-1)+at(r, c+1))/4)
		}
	}
	err = errors.Join(err, g.Fence()) // all procs have read the elements for this step
	copy(g.Local(), next)
	return errors.Join(err, g.Fence())
}

func draw(a *drxmp.Array) error {
	rows, cols := a.Shape()[0], a.Shape()[1]
	values, img := make([]float64, rows*cols), image.NewGray(image.Rect(0, 0, cols, rows))
	err := drxmp.Read(a, a.Bounds(), values)
	for i, x := range values {
		img.Pix[i] = uint8(255 * x)
	}
	f, fileErr := os.Create("plate.png")
	return errors.Join(err, fileErr, png.Encode(f, img), f.Close())
}
