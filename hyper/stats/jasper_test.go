package stats_test

import (
	"math"
	"testing"

	"drx/hyper/internal/jaspertest"
	"drx/hyper/stats"

	"gonum.org/v1/gonum/mat"
)

// The statistics of Jasper Ridge equal those that NumPy computes, see testdata/jasper.py.
func TestJasperRidge(t *testing.T) {
	c := jaspertest.Cube(t)
	b := c.Bounds()
	spectra := sum(t, c, stats.Spectra, b, b)
	mean, k := must(spectra.Mean()), must(spectra.Covariance())
	r, corr := must(spectra.Autocorrelation()), must(spectra.Correlation())
	noise := must(stats.Noise(sum(t, c, stats.Neighbours, b, b)))
	right, below := must(stats.Noise(sum(t, c, stats.Right, b, b))), must(stats.Noise(sum(t, c, stats.Below, b, b)))
	snr := must(stats.SNR(spectra, noise))
	if spectra.Count() != 10000 {
		t.Errorf("%d pixels", spectra.Count())
	}
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"mean of band 0", mean[0], -53.6209},
		{"mean of band 100", mean[100], 1950.4793},
		{"mean of band 197", mean[197], 570.2602},
		{"covariance 0,0", k.At(0, 0), 4018.967079897989},
		{"covariance 0,197", k.At(0, 197), 16520.1485730373},
		{"covariance 100,101", k.At(100, 101), 1728326.6601739272},
		{"trace of the covariance", mat.Trace(k), 163177680.17213893},
		{"autocorrelation 0,0", r.At(0, 0), 6893.7661},
		{"autocorrelation 100,197", r.At(100, 197), 1593284.9714},
		{"correlation 0,197", corr.At(0, 197), 0.5240483376389348},
		{"noise 0,0", noise.At(0, 0), 427.990533222523},
		{"noise 0,197", noise.At(0, 197), 855.4586961998386},
		{"noise 100,101", noise.At(100, 101), 51291.636984928315},
		{"noise 50,50 to the right", right.At(50, 50), 46765.04932686292},
		{"noise 50,50 below", below.At(50, 50), 32893.94440850571},
		{"SNR of band 0", snr[0], 2.5918927},
		{"SNR of band 100", snr[100], 8.555119},
		{"SNR of band 197", snr[197], 4.16355608},
	} {
		if math.Abs(x.got-x.want) > 1e-8*math.Abs(x.want) {
			t.Errorf("%s: %v, want %v", x.name, x.got, x.want)
		}
	}
}
