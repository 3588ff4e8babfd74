package hyper

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"drx"
	"drx/dtype"
	"drx/hyper/endmember"
	"drx/hyper/reduce"
	"drx/hyper/scene"
	"drx/hyper/stats"
	"drx/hyper/unmix"
	"drx/parallel/par"
)

// A countingComm counts the collective calls of a proc, and the bytes that it receives from others.
type countingComm struct {
	par.Comm
	calls, got *atomic.Int64
}

func (c countingComm) Agree(what string, err error) error {
	c.calls.Add(1)
	return c.Comm.Agree(what, err)
}

func (c countingComm) AllGather(data []byte) ([][]byte, error) {
	all, err := c.Comm.AllGather(data)
	return all, c.count(all, err)
}

func (c countingComm) Gather(data []byte, root int) ([][]byte, error) {
	all, err := c.Comm.Gather(data, root)
	return all, c.count(all, err)
}

func (c countingComm) count(all [][]byte, err error) error {
	c.calls.Add(1)
	for p, data := range all {
		if p != c.Proc() {
			c.got.Add(int64(len(data)))
		}
	}
	return err
}

// A sourceCounter is a source that counts the values that a proc reads.
type sourceCounter struct {
	scene.Source
	read *atomic.Int64
}

func (c sourceCounter) Read(ctx context.Context, b scene.Block, dst []float64) error {
	c.read.Add(int64(len(dst)))
	return c.Source.Read(ctx, b, dst)
}

// A madeScene is a scene of mixtures, both in memory and as an array.
type madeScene struct {
	source     scene.Source
	endmembers [][]float64
	array      *drx.Array
}

// makeScene makes a scene of four materials.
func makeScene(t testing.TB, lines, samples, bands int) madeScene {
	t.Helper()
	inMemory(t)
	rng := rand.New(rand.NewPCG(1, 6))
	s := madeScene{endmembers: make([][]float64, 4)}
	for k := range s.endmembers {
		for range bands {
			s.endmembers[k] = append(s.endmembers[k], 200+3000*rng.Float64())
		}
	}
	stored := mixtures(rng, s.endmembers, lines*samples)
	values := make([]float64, len(stored))
	for i, v := range stored {
		values[i] = float64(v)
	}
	var err error
	if s.source, err = scene.InMemory(scene.Block{Hi: scene.Pixel{Line: lines, Sample: samples}}, bands, values); err != nil {
		t.Fatal(err)
	}
	spec := drx.Spec{DType: dtype.Uint16, Shape: []int{lines, samples, bands}, Options: drx.Options{Durability: drx.DurabilityNone}}
	if s.array, err = drx.Create("cube", spec); err == nil {
		if err = drx.Write(s.array, nil, stored); err == nil {
			err = s.array.Sync()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// parallelWorks returns, by name, computations that procs share. Each runs as one proc and returns
// its result as text.
func (s madeScene) parallelWorks() map[string]func(ctx context.Context, c par.Comm, read *atomic.Int64) (string, error) {
	works := map[string]func(ctx context.Context, c par.Comm, read *atomic.Int64) (string, error){}
	for name, kind := range map[string]stats.Kind{"sums of spectra": stats.Spectra, "sums of differences": stats.Neighbours} {
		works[name] = s.inCube(func(ctx context.Context, cube *scene.Cube) (any, error) {
			m, err := stats.Sum(ctx, cube, kind, cube.Bounds(), cube.Bounds())
			if err != nil {
				return nil, err
			}
			return m.MarshalBinary()
		})
	}
	find := func(name string, x Search) {
		x.Count = len(s.endmembers)
		works[name] = s.inCube(func(ctx context.Context, cube *scene.Cube) (any, error) {
			found, err := x.Find(ctx, cube)
			if err != nil {
				return nil, err
			}
			return found.Endmembers, nil
		})
	}
	find("atgp", Search{Method: &endmember.ATGP{}})
	find("sga", Search{Method: &endmember.SGA{}})
	find("vca", Search{Method: &endmember.VCA{}})
	find("ppi", Search{Method: &endmember.PPI{Skewers: 100}})
	find("fippi --reduce mnf:4", Search{Method: &endmember.FIPPI{}, Reduce: Reduction{Method: reduce.ByMNF, Components: 4}})
	find("nfindr", Search{Method: &endmember.NFINDR{Starts: 1}})
	find("amee", Search{Method: &endmember.AMEE{Window: 3, Rounds: 2}})
	find("sisal", Search{Method: &endmember.SISAL{Rounds: 3, Pixels: 5000}})
	works["abundances"] = s.inCube(func(ctx context.Context, cube *scene.Cube) (any, error) {
		plane, err := scene.NewPlane(cube.Bounds(), len(s.endmembers))
		if err != nil {
			return nil, err
		}
		solver, err := unmix.New(unmix.FCLS, s.endmembers)
		if err != nil {
			return nil, err
		}
		sum, err := solver.CubeByProcs(ctx, cube, cube.Bounds(), plane, nil)
		text := fmt.Sprint(sum)
		for l := range cube.Bounds().Lines() {
			text += fmt.Sprint(plane.At(scene.Pixel{Line: l, Sample: l}))
		}
		all, err := scene.Exchange(cube, "abundances", text, err) // the first proc has them
		return all[:1], err
	})
	works["session, statistics"] = s.inSession(SessionOptions{Noise: true})
	works["session, abundances"] = s.inSession(SessionOptions{Noise: true, Abundances: &Abundances{Name: "abundances", Method: unmix.FCLS, Spectra: s.endmembers}})
	return works
}

func (s madeScene) inCube(f func(ctx context.Context, cube *scene.Cube) (any, error)) func(ctx context.Context, c par.Comm, read *atomic.Int64) (string, error) {
	return func(ctx context.Context, c par.Comm, read *atomic.Int64) (string, error) {
		cube, err := scene.New(sourceCounter{s.source, read}, scene.Options{Comm: c, Workers: 1})
		if err != nil {
			return "", err
		}
		result, err := f(ctx, cube)
		return fmt.Sprint(result), err
	}
}

// inSession is the first update of a session, as a computation of parallelWorks.
func (s madeScene) inSession(o SessionOptions) func(ctx context.Context, c par.Comm, read *atomic.Int64) (string, error) {
	return func(ctx context.Context, c par.Comm, read *atomic.Int64) (string, error) {
		o := o
		o.Comm, o.Anew, o.Scene.Workers = c, true, 1
		session, err := OpenSession(s.array, o)
		if err != nil {
			return "", err
		}
		r, err := session.Update(ctx)
		if err != nil {
			return "", err
		}
		read.Store(r.Read / int64(s.array.DType().Size()))
		m := session.Moments()
		a, err := m.Spectra.MarshalBinary()
		if err != nil {
			return "", err
		}
		b, err := m.Differences.MarshalBinary()
		if err != nil {
			return "", err
		}
		return fmt.Sprint(a, b), session.Close()
	}
}

// A division records how a computation was divided among procs.
type division struct {
	result  string
	largest int64 // values read by the proc that reads most
	all     int64 // values read by all procs
	got     int64 // bytes received by the proc that receives most
	calls   int64 // collective calls
}

// balance returns the largest share divided by the mean share.
func (d division) balance(procs int) float64 {
	return float64(d.largest) * float64(procs) / float64(d.all)
}

// divide runs a computation with some procs, which must all return the same result.
func divide(t testing.TB, procs int, work func(ctx context.Context, c par.Comm, read *atomic.Int64) (string, error)) division {
	t.Helper()
	read, got, calls := make([]atomic.Int64, procs), make([]atomic.Int64, procs), make([]atomic.Int64, procs)
	results := make([]string, procs)
	err := par.Run(procs, func(c par.Comm) (err error) {
		p := c.Proc()
		results[p], err = work(t.Context(), countingComm{c, &calls[p], &got[p]}, &read[p])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	d := division{result: results[0], calls: calls[0].Load()}
	for p := range procs {
		if results[p] != d.result {
			t.Errorf("procs 0 and %d of %d have different results", p, procs)
		}
		d.largest, d.got, d.all = max(d.largest, read[p].Load()), max(d.got, got[p].Load()), d.all+read[p].Load()
	}
	return d
}

// TestDivision: four procs have the same result as one. Except for the spectra of endmembers and
// halos, they read together what one proc reads, in equal shares.
func TestDivision(t *testing.T) {
	s := makeScene(t, 64, 256, 5) // 16 tiles, 4 of AMEE
	for name, work := range s.parallelWorks() {
		one := divide(t, 1, work)
		const procs = 4
		d := divide(t, procs, work)
		if d.result != one.result {
			t.Errorf("%s: %d procs have another result than one", name, procs)
		}
		if more := float64(d.all) / float64(one.all); more > 1.001 || more < 0.999 {
			t.Errorf("%s: %d procs read %.4f times what one reads", name, procs, more)
		}
		limit := 1.02
		if strings.Contains(name, "session") || strings.Contains(name, "differences") || name == "amee" || strings.Contains(name, "mnf") {
			limit = 1.25 // tiles at the edge have a smaller halo
		}
		if b := d.balance(procs); b > limit {
			t.Errorf("%s: the largest share of %d procs is %.3f of the mean", name, procs, b)
		}
	}
}

// BenchmarkProcs measures how computations on a scene of 1024 x 512 pixels and 16 bands are divided
// among procs, which are goroutines: the largest share of values read relative to the mean share,
// all values read relative to one proc, the KiB received by the proc that receives most, and the
// collective calls. These are the same in every run and on any machine.
func BenchmarkProcs(b *testing.B) {
	s := makeScene(b, 1024, 512, 16)
	works := s.parallelWorks()
	for _, name := range slices.Sorted(maps.Keys(works)) {
		one := divide(b, 1, works[name])
		for _, procs := range []int{2, 8, 64} {
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(name, " ", "_"), procs), func(b *testing.B) {
				for b.Loop() {
					d := divide(b, procs, works[name])
					b.ReportMetric(d.balance(procs), "largest/mean")
					b.ReportMetric(float64(d.all)/float64(one.all), "read/one")
					b.ReportMetric(float64(d.got)/(1<<10), "KiB/proc")
					b.ReportMetric(float64(d.calls), "calls")
					b.ReportMetric(0, "ns/op") // of no use: goroutines on a few cores
				}
			})
		}
	}
}
