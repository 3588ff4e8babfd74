package main

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/parallel/par"
)

// read returns the elements of an array that the program has written.
func read[T float64 | uint8](t *testing.T, name string) []T {
	t.Helper()
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := drx.Read[T](a, nil)
	if err := errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestOutputs: pictures and the radial distribution function are the same for every number of
// procs, and replace earlier ones. Far away the function is 1, near zero it is 0, and its integral
// counts all pairs that the bins reach.
func TestOutputs(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := program(1, name, growing); err != nil {
		t.Fatal(err)
	}
	var pictures []uint8
	var g []float64
	for procs := 1; procs <= 3; procs++ {
		err := par.Run(procs, func(c par.Comm) error {
			e := evaluation{draw: 40, bin: 0.1, skip: 2}
			if err := draw(c, name, e); err != nil {
				return err
			}
			return analyse(c, name, e)
		})
		if err != nil {
			t.Fatal(err)
		}
		p, f := read[uint8](t, name+"-view"), read[float64](t, name+"-rdf/g")
		if procs == 1 {
			pictures, g = p, f
		}
		if len(p) != 13*40*40 || !slices.Equal(p, pictures) || !slices.Equal(f, g) {
			t.Errorf("%d procs: another result", procs)
		}
	}
	if r := read[float64](t, name+"-rdf/r"); math.Abs(r[0]-0.05) > 1e-12 || len(r) != len(g) {
		t.Errorf("distances from %v on", r[0])
	}
	if g[0] != 0 || slices.Max(g) < 1.2 || math.Abs(g[len(g)-1]-1) > 0.3 {
		t.Errorf("g(r) is %v", g)
	}
}

// TestPicture: a particle in the corner of the box is drawn in all four corners, and of two
// particles the nearer one is seen.
func TestPicture(t *testing.T) {
	const corner, front = math.MinInt64, math.MaxInt64
	img := picture([]int64{corner, corner, 0, 0, 0, corner, 0, 0, front}, 20, 0.1)
	back := img[0]
	for _, at := range []int{19, 19 * 20, 19*20 + 19} {
		if back == 0 || img[at] != back {
			t.Errorf("the corners have %v and %v", back, img[at])
		}
	}
	if img[10*20+10] != 255 || back == 255 {
		t.Errorf("the middle has %v, the corner %v", img[10*20+10], back)
	}
	seen := 0
	for _, depth := range img {
		if depth == 255 {
			seen++
		}
	}
	if seen != 13 { // pixels at most 2 away
		t.Errorf("a particle has %d pixels", seen)
	}
}
