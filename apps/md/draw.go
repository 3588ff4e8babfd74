package main

import (
	"errors"
	"math"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// draw makes the array NAME-view, time x y x x, with a picture of the box for each frame: the
// depth, 1 to 255, of the particle that is nearest to the eye, or 0. A pixel has edge/pixels of the
// box. Each proc draws the frames that it owns.
func draw(c par.Comm, name string, e evaluation) (err error) {
	t, err := drxmp.Open(c, name, drxmp.Options{})
	if err != nil {
		return err
	}
	s, err := settingsOf(name, t.Attrs())
	if err != nil {
		return err
	}
	if err := remove(c, name+"-view"); err != nil {
		return err
	}
	frames, err := framesOf(t)
	if err != nil {
		return err
	}
	v, err := drxmp.Create(c, name+"-view", drx.Spec{
		DType: dtype.Uint8, Shape: []int{frames, e.draw, e.draw}, ChunkShape: []int{1, e.draw, e.draw}, Dims: []string{"time", "y", "x"},
		Attrs: map[string]any{madeBy: "md", "long_name": "Particles, bright ones in front"},
	}, drxmp.Options{Distribution: drxmp.Distribution{Grid: []int{c.Procs(), 1, 1}, Dims: []drxmp.DimDistribution{drxmp.Cyclic(), drxmp.Block(), drxmp.Block()}}})
	if err != nil {
		return err
	}
	for frame := c.Proc(); frame < frames; frame += c.Procs() {
		x := make([]int64, 3*s.particlesAt(frame))
		if err := drxmp.Read(t, nd.Sec(nd.At(frame), nd.At(position), nd.Span(0, len(x)/3), nd.All), x); err != nil {
			return err
		}
		if err := drxmp.Write(v, nd.Sec(nd.At(frame), nd.All, nd.All), picture(x, e.draw, 0.5/s.box())); err != nil {
			return err
		}
	}
	return errors.Join(v.Close(), t.Close())
}

// picture draws particles as discs. radius is the radius of a particle, in units of the box's
// width.
func picture(x []int64, pixels int, radius float64) []uint8 {
	img := make([]uint8, pixels*pixels)
	reach := int(math.Ceil(radius * float64(pixels)))
	for i := 0; i < len(x); i += 3 {
		px, py := pixel(x[i], pixels), pixel(x[i+1], pixels)
		depth := uint8(1 + (x[i+2]>>56+128)*254/255)
		for dy := -reach; dy <= reach; dy++ {
			for dx := -reach; dx <= reach; dx++ {
				at := (py+dy+pixels)%pixels*pixels + (px+dx+pixels)%pixels
				if math.Hypot(float64(dx), float64(dy)) <= radius*float64(pixels) {
					img[at] = max(img[at], depth)
				}
			}
		}
	}
	return img
}

// pixel returns which pixel a coordinate is in.
func pixel(x int64, pixels int) int {
	return min(int((float64(x)/boxUnits+0.5)*float64(pixels)), pixels-1)
}
