package main

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"path/filepath"
	"runtime"

	"drx"
	"drx/dtype"
	"drx/hyper"
	"drx/hyper/endmember"
	"drx/hyper/reduce"
	"drx/hyper/scene"
	"drx/hyper/stats"
	"drx/hyper/synth"
	"drx/hyper/unmix"
	"drx/parallel/par"
)

// hyperProcs measures the wall times of the work that procs share, with one and with two procs,
// each on one processor. hyper.BenchmarkProcs counts how the work is divided among more procs.
var hyperProcs = experiment{name: "hyper-procs", title: "Hyperspectral analysis by one and by two procs", run: runHyperProcs}

const (
	procsTime    = "wall time"
	procsSpeedUp = "speed-up"
)

// procsBands are the bands of the scene of hyperProcs.
const procsBands = 64

// A procsWork is run by every proc of a parallel program. Its result must be the same on all procs,
// and for any number of them.
type procsWork struct {
	name string
	run  func(ctx context.Context, c par.Comm) (any, error)
}

func runHyperProcs(l *lab, t *table) error {
	src, spectra, err := procsScene(pick(l, 512, 64))
	if err != nil {
		return err
	}
	a, err := storeScene(filepath.Join(l.dir, "procs"), src)
	if err != nil {
		return err
	}
	parts := &hyper.Abundances{Name: filepath.Join(l.dir, "procs-abundances"), Method: unmix.FCLS, Spectra: spectra}
	works := append(
		procsWorks(src),
		procsWork{"session, first update: statistics with noise", firstUpdate(a, nil)},
		procsWork{"the same, with abundances", firstUpdate(a, parts)},
	)
	for _, w := range works {
		if err := w.race(l, t); err != nil {
			return errors.Join(err, a.Close())
		}
	}
	return a.Close()
}

// race adds the times of a work and their ratio.
func (w procsWork) race(l *lab, t *table) error {
	raced := &table{}
	const one, two = "1 proc", "2 procs"
	_, err := l.race(
		raced, cell{metric: procsTime, column: w.name, unit: milliseconds},
		entrant{series: one, run: func(uint64) (result, error) { return w.by(1) }},
		entrant{series: two, run: func(uint64) (result, error) { return w.by(2) }},
	)
	if err != nil {
		return err
	}
	for _, r := range raced.rows {
		r.series, r.column = r.column, r.series
		t.add(r)
	}
	of, ok := raced.find(procsTime, one, w.name)
	by, ok2 := raced.find(procsTime, two, w.name)
	if ok && ok2 {
		ratio := of.value / by.value
		t.add(row{metric: procsSpeedUp, series: w.name, column: "1 proc by 2", value: ratio, low: ratio, high: ratio, unit: "1", reps: by.reps})
	}
	return nil
}

// by runs the work on procs goroutine procs and as many processors.
func (w procsWork) by(procs int) (r result, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs)) // products of matrices use all processors
	found := make([]any, procs)
	r, err = timeOf(func() error {
		return par.Run(procs, func(c par.Comm) (err error) {
			found[c.Proc()], err = w.run(context.Background(), c)
			return err
		})
	})
	r.check = fmt.Sprintf("%08x", crc32.ChecksumIEEE(fmt.Append(nil, found[0])))
	return r, err
}

// procsScene makes a scene of four materials in memory.
func procsScene(lines int) (scene.Source, [][]float64, error) {
	random := rand.New(rand.NewPCG(1, 6))
	spec := synth.Spec{Bounds: scene.Block{Hi: scene.Pixel{Line: lines, Sample: 512}}, Mixing: 3, SNR: 40, Scale: 1, Seed: 1}
	for range 4 {
		x := make([]float64, procsBands)
		for i := range x {
			x[i] = 200 + 3000*random.Float64()
		}
		spec.Spectra = append(spec.Spectra, x)
	}
	var err error
	if spec.Map, err = synth.Patches(len(spec.Spectra), 16, 1); err != nil {
		return nil, nil, err
	}
	made, err := synth.New(spec)
	if err != nil {
		return nil, nil, err
	}
	values := make([]float64, spec.Bounds.Pixels()*procsBands)
	if err := made.Read(context.Background(), spec.Bounds, values); err != nil {
		return nil, nil, err
	}
	src, err := scene.InMemory(spec.Bounds, procsBands, values)
	return src, spec.Spectra, err
}

// storeScene writes a scene of integers to an array of uint16.
func storeScene(name string, src scene.Source) (*drx.Array, error) {
	b := src.Bounds()
	values := make([]float64, b.Pixels()*src.Bands())
	if err := src.Read(context.Background(), b, values); err != nil {
		return nil, err
	}
	stored := make([]uint16, len(values))
	for i, v := range values {
		stored[i] = uint16(v)
	}
	a, err := drx.Create(name, drx.Spec{
		Shape: []int{b.Lines(), b.Samples(), src.Bands()}, ChunkShape: []int{16, 64, src.Bands()}, DType: dtype.Uint16, Dims: []string{"line", "sample", "band"},
	})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(drx.Write(a, nil, stored), a.Sync()); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// procsWorks are the statistics and the searches.
func procsWorks(src scene.Source) (works []procsWork) {
	add := func(name string, f func(ctx context.Context, cube *scene.Cube) (any, error)) {
		works = append(works, procsWork{name, func(ctx context.Context, c par.Comm) (any, error) {
			cube, err := scene.New(src, scene.Options{Comm: c, Workers: 1})
			if err != nil {
				return nil, err
			}
			return f(ctx, cube)
		}})
	}
	for i, kind := range []stats.Kind{stats.Spectra, stats.Neighbours} {
		name := []string{"sums of products", "sums of products of differences, for the noise"}[i]
		add(name, func(ctx context.Context, cube *scene.Cube) (any, error) {
			m, err := stats.Sum(ctx, cube, kind, cube.Bounds(), cube.Bounds())
			if err != nil {
				return nil, err
			}
			return m.MarshalBinary()
		})
	}
	for _, x := range []struct {
		flags string
		by    hyper.Search
	}{
		{"`atgp`", hyper.Search{Method: &endmember.ATGP{}}},
		{"`sga`", hyper.Search{Method: &endmember.SGA{}}},
		{"`vca`", hyper.Search{Method: &endmember.VCA{Seed: 1}}},
		{"`nfindr --starts 1`", hyper.Search{Method: &endmember.NFINDR{Starts: 1, Seed: 1}}},
		{"`ppi --skewers 1000`", hyper.Search{Method: &endmember.PPI{Skewers: 1000, Seed: 1}}},
		{"`fippi --reduce mnf:4`", hyper.Search{Method: &endmember.FIPPI{}, Reduce: hyper.Reduction{Method: reduce.ByMNF, Components: 4}}},
		{"`amee --window 3 --rounds 2`", hyper.Search{Method: &endmember.AMEE{Window: 3, Rounds: 2}}},
		{"`sisal --rounds 3 --pixels 5000`", hyper.Search{Method: &endmember.SISAL{Rounds: 3, Pixels: 5000, Seed: 1}}},
	} {
		add(x.flags, func(ctx context.Context, cube *scene.Cube) (any, error) {
			x.by.Count = 4
			found, err := x.by.Find(ctx, cube)
			if err != nil {
				return nil, err
			}
			return found.Endmembers, nil
		})
	}
	return works
}

// firstUpdate is the first update of a session over an array.
func firstUpdate(a *drx.Array, parts *hyper.Abundances) func(ctx context.Context, c par.Comm) (any, error) {
	return func(ctx context.Context, c par.Comm) (any, error) {
		s, err := hyper.OpenSession(a, hyper.SessionOptions{Noise: true, Abundances: parts, Comm: c, Anew: true, Scene: scene.Options{Workers: 1}})
		if err != nil {
			return nil, err
		}
		if _, err := s.Update(ctx); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		m, err := s.Moments().Differences.MarshalBinary()
		return m, errors.Join(err, s.Close())
	}
}
