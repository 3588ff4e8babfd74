package reduce_test

import (
	"math"
	"testing"

	"drx/hyper/internal/jaspertest"
	"drx/hyper/reduce"
	"drx/hyper/stats"
)

// The components of Jasper Ridge equal those that NumPy computes, see testdata/jasper.py.
func TestJasperRidge(t *testing.T) {
	c := jaspertest.Cube(t)
	b := c.Bounds()
	spectra, err := stats.Sum(t.Context(), c, stats.Spectra, b, b)
	if err != nil {
		t.Fatal(err)
	}
	differences, err := stats.Sum(t.Context(), c, stats.Neighbours, b, b)
	if err != nil {
		t.Fatal(err)
	}
	mean, err := spectra.Mean()
	if err != nil {
		t.Fatal(err)
	}
	k, err := spectra.Covariance()
	if err != nil {
		t.Fatal(err)
	}
	noise, err := stats.Noise(differences)
	if err != nil {
		t.Fatal(err)
	}
	pct, err := reduce.PCT(mean, k)
	if err != nil {
		t.Fatal(err)
	}
	mnf, err := reduce.MNF(mean, k, noise, 0)
	if err != nil {
		t.Fatal(err)
	}
	tile, err := c.Read(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	y, z := make([]float64, 198), make([]float64, 198)
	pct.Apply(y, tile.Spectrum(0))
	mnf.Apply(z, tile.Spectrum(0))
	enough, err := pct.Enough(0.99)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"variance 0", pct.Values[0], 142899631.7766951},
		{"variance 1", pct.Values[1], 18111302.712095033},
		{"variance 2", pct.Values[2], 1315935.023955205},
		{"variance 3", pct.Values[3], 407521.0199326739},
		{"explained by 2", pct.Explained()[1], 0.986721556029826},
		{"enough for 0.99", float64(enough), 3},
		{"component 0 of pixel 0", y[0], 12003.60256580266},
		{"ratio 0", mnf.Values[0], 95.7550748158828},
		{"ratio 1", mnf.Values[1], 21.8511512999109},
		{"ratio 3", mnf.Values[3], 8.598128191873952},
		{"ratio 197", mnf.Values[197], 0.7971410431408645},
		{"fraction 0 of pixel 0", z[0], -6.483431777403553},
	} {
		if math.Abs(x.got-x.want) > 1e-8*math.Abs(x.want) {
			t.Errorf("%s: %v, want %v", x.name, x.got, x.want)
		}
	}
}
