package hyper

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"drx"
	"drx/dtype"
	"drx/hyper/endmember"
	"drx/hyper/unmix"
)

// BenchmarkSwath compares updates after appending swaths of a hundredth of a cube (1000 lines x 512
// samples x 64 bands of uint16), at both ends in turn, with batch runs: new sessions for the whole
// cube. It reports the medians over 50 swaths of the time and of the bytes read, in percent of the
// medians of three batch runs.
func BenchmarkSwath(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	endmembers := make([][]float64, 4)
	for k := range endmembers {
		endmembers[k] = make([]float64, 64)
		for i := range endmembers[k] {
			endmembers[k][i] = 200 + 3000*rng.Float64()
		}
	}
	b.Run("statistics", func(b *testing.B) { benchmarkSwath(b, rng, endmembers, SessionOptions{Noise: true}) })
	b.Run("all", func(b *testing.B) {
		benchmarkSwath(b, rng, endmembers, SessionOptions{
			Noise: true, Searches: []Search{{Method: &endmember.PPI{Skewers: 200}, Count: 4}, {Method: &endmember.ATGP{}, Count: 4}},
			Abundances: &Abundances{Method: unmix.FCLS, Spectra: endmembers},
		})
	})
	for _, x := range []Search{
		{Method: &endmember.PPI{Skewers: 200}, Count: 4},
		{Method: &endmember.FIPPI{}, Count: 4},
		{Method: &endmember.ATGP{}, Count: 4},
		{Method: &endmember.SGA{}, Count: 4},
		{Method: &endmember.NFINDR{Starts: 1}, Count: 4},
		{Method: &endmember.AMEE{}, Count: 4},
	} {
		b.Run(x.name(), func(b *testing.B) { benchmarkSwath(b, rng, endmembers, SessionOptions{Searches: []Search{x}}) })
	}
}

func benchmarkSwath(b *testing.B, rng *rand.Rand, endmembers [][]float64, o SessionOptions) {
	const lines, samples, swath, swaths, batches = 1000, 512, 10, 50, 3
	for b.Loop() {
		dir := b.TempDir()
		a, err := drx.Create(filepath.Join(dir, "cube"), drx.Spec{DType: dtype.Uint16, Shape: []int{0, samples, 64}, ChunkShape: []int{swath, 64, 64}})
		if err != nil {
			b.Fatal(err)
		}
		grow := func(low bool) {
			extend := a.Extend
			if low {
				extend = a.ExtendLow
			}
			sec, err := extend(0, swath)
			if err == nil {
				err = errors.Join(drx.Write(a, sec, mixtures(rng, endmembers, swath*samples)), a.Sync())
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		for range lines/swath - swaths {
			grow(false)
		}
		update, end := benchmarkSession(b, a, o, filepath.Join(dir, "grown"))
		update()
		times, reads := make([]time.Duration, swaths), make([]int64, swaths)
		for i := range swaths {
			grow(i%2 == 1)
			times[i], reads[i] = update()
		}
		slices.Sort(times)
		slices.Sort(reads)
		var whole [batches]time.Duration
		var n int64
		for i := range whole {
			batch, end := benchmarkSession(b, a, o, filepath.Join(dir, fmt.Sprint("batch", i)))
			whole[i], n = batch()
			if err := end(); err != nil {
				b.Fatal(err)
			}
		}
		slices.Sort(whole[:])
		t := whole[batches/2]
		b.ReportMetric(100*float64(times[swaths/2])/float64(t), "%time/batch")
		b.ReportMetric(100*float64(reads[swaths/2])/float64(n), "%bytes/batch")
		b.ReportMetric(t.Seconds(), "s/batch")
		if err := errors.Join(end(), a.Close()); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkSession opens a session whose arrays have names that begin with name. update returns the
// time and the bytes read; the other function ends the session.
func benchmarkSession(b *testing.B, a *drx.Array, o SessionOptions, name string) (update func() (time.Duration, int64), end func() error) {
	o.State = name + "-state"
	if o.Abundances != nil {
		parts := *o.Abundances
		parts.Name = name + "-abundances"
		o.Abundances = &parts
	}
	s, err := OpenSession(a, o)
	if err != nil {
		b.Fatal(err)
	}
	return func() (time.Duration, int64) {
		start := time.Now()
		r, err := s.Update(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		return time.Since(start), r.Read
	}, s.Close
}

// mixtures returns the spectra of n pixels: endmembers in random proportions, with noise.
func mixtures(rng *rand.Rand, endmembers [][]float64, n int) []uint16 {
	bands := len(endmembers[0])
	data := make([]uint16, n*bands)
	for i := range n {
		var parts [4]float64
		sum := 0.0
		for k := range parts {
			parts[k] = rng.ExpFloat64()
			sum += parts[k]
		}
		for b := range bands {
			v := 20 * rng.NormFloat64()
			for k, e := range endmembers {
				v += parts[k] / sum * e[b]
			}
			data[i*bands+b] = uint16(max(1, v))
		}
	}
	return data
}
