// Command heat warms a plate from one edge while it grows at the other, and draws it: plate.png.
//
//	go run ./examples/heat -procs 4
//	go build -tags mpi ./examples/heat && mpirun -n 4 ./heat
package main

import (
	"errors"
	"os"

	"drx"
	"drx/drxmp"
	"drx/dtype"
	"drx/internal/picture"
	"drx/nd"
	"drx/par"
	"drx/par/spmd"
)

func main() { spmd.Main(plate) }

func plate(c par.Comm) error {
	a, err := drxmp.Create(c, "plate", drx.Spec{DType: dtype.Float64, Shape: []int{64, 32}, Chunk: []int{16, 16}}, drxmp.Options{})
	if err != nil {
		return err
	}
	m, err := drxmp.NewMemory[float64](a)
	for growth := 0; err == nil && growth < 6; growth++ {
		_, err = a.Extend(1, 16)
		err = errors.Join(err, m.Follow())
		for step := 0; err == nil && step < 300; step++ {
			err = warm(m, a.Bounds())
		}
		err = errors.Join(err, m.Store(), a.Sync())
	}
	if err == nil && c.Proc() == 0 {
		err = draw(a)
	}
	return errors.Join(err, a.Close())
}

// warm makes one step: an element becomes the mean of its neighbours, column 0 is at 1 all the time.
func warm(m *drxmp.Memory[float64], all nd.Section) error {
	var next []float64
	var err error
	for _, zone := range m.Zone().Sections() { // one, or none for a proc that has nothing
		rows := nd.Span(max(all[0].Lo, zone[0].Lo-1), min(all[0].Hi, zone[0].Hi+1))
		cols := nd.Span(max(all[1].Lo, zone[1].Lo-1), min(all[1].Hi, zone[1].Hi+1))
		near := make([]float64, rows.Len()*cols.Len())
		err = errors.Join(err, m.Get(nd.Sec(rows, cols), near))
		at := func(r, c int) float64 { // beyond an edge it is as warm as there, but for that at 1
			r, c = min(max(r, rows.Lo), rows.Hi-1), min(c, cols.Hi-1)
			if c < cols.Lo {
				return 1
			}
			return near[(r-rows.Lo)*cols.Len()+c-cols.Lo]
		}
		for r := zone[0].Lo; r < zone[0].Hi; r++ {
			for c := zone[1].Lo; c < zone[1].Hi; c++ {
				next = append(next, (at(r-1, c)+at(r+1, c)+at(r, c-1)+at(r, c+1))/4)
			}
		}
	}
	err = errors.Join(err, m.Fence()) // all have what they need of this step
	copy(m.Local(), next)
	return errors.Join(err, m.Fence())
}

func draw(a *drxmp.Array) error {
	shape := a.Shape()
	values := make([]float64, shape[0]*shape[1])
	err := drxmp.Read(a, a.Bounds(), values)
	img, heatErr := picture.Heat(values, shape[0], shape[1], picture.HeatOptions{Zoom: 4})
	f, fileErr := os.Create("plate.png")
	if err = errors.Join(err, heatErr, fileErr); err != nil {
		return err
	}
	return errors.Join(picture.WritePNG(f, img), f.Close())
}
