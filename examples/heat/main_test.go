package main

import (
	"image/png"
	"os"
	"testing"

	"drx"
	"drx/parallel/par"
)

// TestPlate: the plate does not depend on the number of procs, and has the expected temperatures.
func TestPlate(t *testing.T) {
	var first []float64
	for _, procs := range []int{1, 3, 4} {
		t.Chdir(t.TempDir())
		if err := par.Run(procs, plate); err != nil {
			t.Fatal(err)
		}
		a, err := drx.Open("plate", drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		got, err := drx.Read[float64](a, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open("plate.png")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		img, err := png.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		if left, _, _, _ := img.At(0, 63).RGBA(); img.Bounds().Dx() != 128 || img.Bounds().Dy() != 64 || left < 0xe000 {
			t.Errorf("a picture of %v, grey %#x on the left", img.Bounds(), left)
		}
		cols := a.Shape()[1]
		for i := range got[:cols-1] { // warm on the left, cold where the plate has just grown
			if got[i] < got[i+1] || got[i] > 1 {
				t.Fatalf("%d procs: column %d is at %v, the next at %v", procs, i, got[i], got[i+1])
			}
		}
		if cols != 128 || got[0] < 0.9 || got[cols-1] > 0.01 {
			t.Errorf("%d procs: %d columns from %v to %v", procs, cols, got[0], got[cols-1])
		}
		if first == nil {
			first = got
		}
		for i := range got {
			if got[i] != first[i] {
				t.Fatalf("%d procs: element %d is %v, by one %v", procs, i, got[i], first[i])
			}
		}
	}
}
