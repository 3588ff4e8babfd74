// Package jaspertest reads the scene Jasper Ridge for tests: 100 x 100 pixels of 198 bands,
// integers of 16 bits, from hyperspectral/jasperRidge2_R198.img in the folder that the environment
// variable DRX_DATA names.
package jaspertest

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"drx/hyper/scene"
)

const (
	lines   = 100
	samples = 100
	bands   = 198
)

// Cube returns the scene. Without DRX_DATA the test is skipped.
func Cube(t testing.TB) *scene.Cube {
	t.Helper()
	dir := os.Getenv("DRX_DATA")
	if dir == "" {
		t.Skip("DRX_DATA is not set")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "hyperspectral", "jasperRidge2_R198.img"))
	if err != nil {
		t.Skip(err)
	}
	if len(raw) != 2*lines*samples*bands {
		t.Fatalf("the scene has %d bytes", len(raw))
	}
	data := make([]float64, lines*samples*bands)
	for i := range data {
		line, band, sample := i/bands/samples, i/samples%bands, i%samples // BIL
		data[(line*samples+sample)*bands+band] = float64(int16(binary.LittleEndian.Uint16(raw[2*i:])))
	}
	src, err := scene.InMemory(scene.Block{Hi: scene.Pixel{Line: lines, Sample: samples}}, bands, data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scene.New(src, scene.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
