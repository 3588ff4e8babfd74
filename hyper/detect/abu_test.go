//go:build matio

package detect_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"drx/formats/bridgetest"
	_ "drx/formats/mat"
	"drx/hyper/detect"
	"drx/hyper/scene"
	"drx/hyper/score"
)

// TestRXOnTheABUScenes compares global RX on two scenes of the ABU data set (Kang et al., IEEE TGRS
// 55, 2017) with figures that NumPy also gives.
func TestRXOnTheABUScenes(t *testing.T) {
	for name, want := range map[string]float64{"abu-airport-1": 0.8221, "abu-beach-2": 0.9106} {
		path := bridgetest.Data(t, "hyperspectral/"+name+".mat")[0]
		data, shape := bridgetest.Floats(t, path, "data")
		truth, _ := bridgetest.Floats(t, path, "map")
		b := scene.Block{Hi: scene.Pixel{Line: shape[0], Sample: shape[1]}}
		src, err := scene.InMemory(b, shape[2], data)
		if err != nil {
			t.Fatal(err)
		}
		c, err := scene.New(src, scene.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mean, covariance := moments(data, shape[2])
		rx, err := detect.RX(mean, covariance)
		if err != nil {
			t.Fatal(err)
		}
		plane, _ := scene.NewPlane(b, 1)
		if err := rx.Cube(t.Context(), c, b, plane); err != nil {
			t.Fatal(err)
		}
		target, scores := make([]bool, len(truth)), make([]float64, len(truth))
		meanTarget, n := make([]float64, shape[2]), 0.0
		for i, v := range truth {
			target[i], scores[i] = v != 0, plane.At(b.At(i))[0]
			if target[i] {
				n++
				for k := range meanTarget {
					meanTarget[k] += data[i*shape[2]+k]
				}
			}
		}
		auc, err := score.AUC(scores, target)
		if err != nil || math.Abs(auc-want) > 0.00005 {
			t.Errorf("%s: RX has an area of %.5f under the curve, want %.4f (%v)", name, auc, want, err)
		}
		for k := range meanTarget {
			meanTarget[k] /= n
		}
		for _, matched := range []func([]float64, mat.Symmetric, []float64) (*detect.Detector, error){detect.MatchedFilter, detect.ACE} {
			d, err := matched(mean, covariance, meanTarget)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Cube(t.Context(), c, b, plane); err != nil {
				t.Fatal(err)
			}
			for i := range scores {
				scores[i] = plane.At(b.At(i))[0]
			}
			if auc, err := score.AUC(scores, target); err != nil || auc < 0.97 {
				t.Errorf("%s: a matched detector has an area of %.4f under the curve, want at least 0.97 (%v)", name, auc, err)
			} else {
				t.Logf("%s: %.4f", name, auc)
			}
		}
	}
}

// moments returns the mean and the covariance of spectra.
func moments(data []float64, bands int) ([]float64, *mat.SymDense) {
	x := mat.NewDense(len(data)/bands, bands, data)
	mean := make([]float64, bands)
	for b := range mean {
		mean[b] = stat.Mean(mat.Col(nil, b, x), nil)
	}
	covariance := mat.NewSymDense(bands, nil)
	stat.CovarianceMatrix(covariance, x, nil)
	return mean, covariance
}
