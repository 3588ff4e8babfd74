package dataset

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"reflect"
	"testing"

	"drx"
	"drx/internal/vfs"
)

// The catalogue after one variable was added must equal the one that is read from all variables.
func TestCatalogueAfterCreateVariable(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	plain := 0
	for range 30 {
		useDisk(t, vfs.NewMem())
		d, err := Create("ds", drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.CreateGroup("m/n"); err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			name := path.Join([]string{"", "m", "m/n"}[rng.IntN(3)], fmt.Sprint("v", i))
			if rng.IntN(6) == 0 {
				name = path.Join(path.Dir(name), []string{"x", "y", "z"}[rng.IntN(3)]) // may be a coordinate
			}
			var dims []string
			var shape []int
			for range rng.IntN(4) {
				k := rng.IntN(4)
				dims, shape = append(dims, []string{"x", "y", "z", ""}[k]), append(shape, 2+k+rng.IntN(9)/8)
			}
			before := d.scan.dims["x"]
			_, err := d.CreateVariable(name, intSpec(shape, dims...))
			if err == nil && len(dims) > 0 && before != nil && before == d.scan.dims["x"] {
				plain++
			}
			if want := d.scan.with(nil); !reflect.DeepEqual(d.scan.dims, want.dims) || !reflect.DeepEqual(d.scan.uneven, want.uneven) || !reflect.DeepEqual(d.scan.vars, want.vars) {
				t.Fatalf("after %s%q %v, %v: %v, want %v", name, dims, shape, err, d.Dims(), want.dims)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d variables were added without a look at the others", plain)
	if plain < 50 {
		t.Error("want 50 or more")
	}
}

// The time to create a variable must not grow with the number of variables.
func BenchmarkCreateVariable(b *testing.B) {
	before := vfs.OS
	defer func() { vfs.OS = before }()
	for _, n := range []int{500, 1000, 2000, 4000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				vfs.OS = vfs.NewMem()
				d, err := Create("ds", drx.Options{})
				for i := 0; i < n && err == nil; i++ {
					if _, err = d.CreateVariable(fmt.Sprintf("v%06d", i), intSpec([]int{3}, "x")); err == nil && i%100 == 99 {
						err = d.Release()
					}
				}
				if err = errors.Join(err, d.Close()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/variable")
		})
	}
}
