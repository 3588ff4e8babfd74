package detect_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"drx/hyper/detect"
	"drx/hyper/scene"
)

// BenchmarkRX measures a tile of 200 bands, without reading it.
func BenchmarkRX(b *testing.B) {
	const bands = 200
	covariance := mat.NewSymDense(bands, nil)
	for i := range bands {
		covariance.SetSym(i, i, float64(i+1))
	}
	d, err := detect.RX(make([]float64, bands), covariance)
	if err != nil {
		b.Fatal(err)
	}
	block := scene.Block{Hi: scene.Pixel{Line: scene.TileLines, Sample: scene.TileSamples}}
	data := make([]float64, block.Pixels()*bands)
	for i := range data {
		data[i] = float64(i % 97)
	}
	src, err := scene.InMemory(block, bands, data)
	if err != nil {
		b.Fatal(err)
	}
	c, err := scene.New(src, scene.Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	plane, err := scene.NewPlane(block, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)) * 8)
	for b.Loop() {
		if err := d.Cube(b.Context(), c, block, plane); err != nil {
			b.Fatal(err)
		}
	}
}
