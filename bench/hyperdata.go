package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"drx/dtype"
	"drx/formats"
	"drx/formats/pipe"
	"drx/hyper/scene"
	"drx/nd"
)

// errNoScenes reports that the public scenes are not installed.
var errNoScenes = errors.New("DRX_DATA does not name a folder with the folder hyperspectral of public scenes")

// registerBridges registers the formats of drx-bridge, once.
var registerBridges = sync.OnceFunc(pipe.Register)

// An ndarray holds the elements of an array of a file, row-major.
type ndarray struct {
	values []float64
	shape  []int
}

// at returns an element.
func (a ndarray) at(index ...int) float64 {
	i := 0
	for d, n := range a.shape {
		i = i*n + index[d]
	}
	return a.values[i]
}

// readScene reads a variable of a MAT file of the public scenes by drx-bridge.
func readScene(file, variable string) (a ndarray, err error) {
	registerBridges()
	root := os.Getenv("DRX_DATA")
	if root == "" {
		return a, errNoScenes
	}
	name := filepath.Join(root, "hyperspectral", file)
	if _, err := os.Stat(name); err != nil {
		return a, fmt.Errorf("%w: %w", errNoScenes, err)
	}
	r, err := formats.Open(name, formats.Options{Variable: variable})
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	info := r.Info()
	n, err := info.Bytes()
	if err != nil {
		return a, err
	}
	buf := make([]byte, n)
	if err := r.ReadSection(nil, buf); err != nil {
		return a, err
	}
	stored := make([]float64, n/info.DType.Size())
	c, err := dtype.NewConverter(info.DType, dtype.Float64, true, make([]byte, 8))
	if err != nil {
		return a, err
	}
	if c == nil {
		copy(dtype.Bytes(stored), buf)
	} else if err := c.Apply(dtype.Bytes(stored), buf); err != nil {
		return a, err
	}
	dtype.Float64.ToLittle(dtype.Bytes(stored)) // and from it: the same swap
	return rowMajorOf(stored, info.Shape, info.Order)
}

// rowMajorOf returns elements that are dense in an order.
func rowMajorOf(stored []float64, shape []int, order nd.Order) (ndarray, error) {
	if order == nil {
		return ndarray{stored, shape}, nil
	}
	v, err := nd.NewView(stored, shape, order)
	if err != nil {
		return ndarray{}, err
	}
	a := ndarray{shape: slices.Clone(shape)}
	index, low := make([]int, len(shape)), make([]int, len(shape))
	for range stored {
		a.values = append(a.values, v.At(index...))
		nd.Next(index, low, shape)
	}
	return a, nil
}

// transposed returns a matrix with its rows as columns.
func (a ndarray) transposed() ndarray {
	t := ndarray{shape: []int{a.shape[1], a.shape[0]}}
	for j := range a.shape[1] {
		for i := range a.shape[0] {
			t.values = append(t.values, a.at(i, j))
		}
	}
	return t
}

// rows returns the rows of a matrix.
func (a ndarray) rows() [][]float64 { return slices.Collect(slices.Chunk(a.values, a.shape[1])) }

// pixels converts a matrix of bands (or materials) x pixels, whose pixels MATLAB numbers column by
// column, to lines x samples x bands.
func (a ndarray) pixels(lines, samples int) ndarray {
	p := ndarray{shape: []int{lines, samples, a.shape[0]}}
	for l := range lines {
		for s := range samples {
			for b := range a.shape[0] {
				p.values = append(p.values, a.at(b, s*lines+l))
			}
		}
	}
	return p
}

// source returns lines x samples (x bands) as a scene in memory.
func (a ndarray) source() (scene.Source, error) {
	bands := 1
	if len(a.shape) == 3 {
		bands = a.shape[2]
	}
	return scene.InMemory(scene.Block{Hi: scene.Pixel{Line: a.shape[0], Sample: a.shape[1]}}, bands, a.values)
}

// cube returns lines x samples x bands as a cube, without some pixels.
func (a ndarray) cube(without ...scene.Pixel) (*scene.Cube, error) {
	src, err := a.source()
	if err != nil {
		return nil, err
	}
	return scene.New(src, scene.Options{Masked: func(p scene.Pixel) bool { return slices.Contains(without, p) }})
}
