package hyper

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drx"
	"drx/dtype"
	"drx/hyper/derived"
	"drx/hyper/endmember"
	"drx/hyper/reduce"
	"drx/hyper/scene"
	"drx/hyper/scene/array"
	"drx/hyper/stats"
	"drx/hyper/unmix"
	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/nd"
	"drx/parallel/par"
)

// inMemory keeps arrays in a file system in memory until the test ends.
func inMemory(t testing.TB) {
	t.Helper()
	onDisk(t, vfs.NewMem())
}

// onDisk keeps arrays in the given file system until the test ends.
func onDisk(t testing.TB, disk vfs.FS) {
	t.Helper()
	before := vfs.OS
	vfs.OS = disk
	t.Cleanup(func() { vfs.OS = before })
}

// A world is a cube with a random history. Its pixels are around the corner of four tiles.
type world struct {
	rng   *rand.Rand
	a     *drx.Array
	order nd.Order // dimensions of lines, samples and bands
	dims  array.Dims
}

// newWorld makes a cube of a random type, order of dimensions and chunks.
func newWorld(t testing.TB, rng *rand.Rand, name string, d drx.Durability) *world {
	t.Helper()
	w := &world{rng: rng, order: nd.Order(rng.Perm(3))}
	w.dims = array.Dims{Line: w.order[0], Sample: w.order[1], Band: w.order[2]}
	types := []dtype.DType{dtype.Uint16, dtype.Int16, dtype.Float32, dtype.Float64}
	spec := drx.Spec{
		DType: types[rng.IntN(len(types))], Shape: make([]int, 3), Lo: make([]int, 3), ChunkShape: make([]int, 3), Options: drx.Options{Durability: d},
	}
	lo := []int{-rng.IntN(12), 64 - rng.IntN(12), rng.IntN(3) - 1}
	shape := []int{1 + rng.IntN(9), 1 + rng.IntN(9), 3 + rng.IntN(2)}
	for i, dim := range w.order {
		spec.Lo[dim], spec.Shape[dim], spec.ChunkShape[dim] = lo[i], shape[i], []int{1 + rng.IntN(8), 1 + rng.IntN(8), 1 + rng.IntN(4)}[i]
	}
	var err error
	if w.a, err = drx.Create(name, spec); err != nil {
		t.Fatal(err)
	}
	w.write(t, w.a.Bounds())
	return w
}

// write fills a section with random values, some of them unusable, and commits.
func (w *world) write(t testing.TB, sec nd.Section) {
	t.Helper()
	b := w.pixels(sec)
	bands := sec[w.order[2]].Len()
	values := make([]float64, b.Pixels()*bands)
	bad := w.rng.IntN(8) == 0 // none of the pixels of the swath is usable
	for i := range b.Pixels() {
		x := values[i*bands:][:bands]
		for k := range x {
			x[k] = float64(1 + w.rng.IntN(2000))
		}
		switch n := w.rng.IntN(12); {
		case (n == 0 || bad) && w.a.DType().IsFloat():
			x[0] = math.NaN()
		case n == 1 || bad:
			clear(x)
		}
	}
	stored := make([]byte, len(values)*w.a.DType().Size())
	c, err := dtype.NewConverter(dtype.Float64, w.a.DType(), true, make([]byte, 8))
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		stored = dtype.Bytes(values)
	} else if err := c.Apply(stored, dtype.Bytes(values)); err != nil {
		t.Fatal(err)
	}
	if err := w.a.WriteBytes(sec, stored, w.order); err != nil {
		t.Fatal(err)
	}
	if err := w.a.Sync(); err != nil {
		t.Fatal(err)
	}
}

func (w *world) pixels(sec nd.Section) scene.Block {
	line, sample := sec[w.order[0]], sec[w.order[1]]
	return scene.Block{Lo: scene.Pixel{Line: line.Lo, Sample: sample.Lo}, Hi: scene.Pixel{Line: line.Hi, Sample: sample.Hi}}
}

// change makes a random change and returns a description. Changes of bands and cuts are rarer than
// growth and new values.
func (w *world) change(t testing.TB) string {
	t.Helper()
	n, d := 1+w.rng.IntN(5), w.order[w.rng.IntN(2)]
	var sec nd.Section
	var err error
	switch k := w.rng.IntN(20); {
	case k < 7:
		sec, err = w.a.Extend(d, n)
	case k < 12:
		sec, err = w.a.ExtendLow(d, n)
	case k < 13:
		sec, err = w.a.Extend(w.order[2], 1)
	case k < 14 && w.a.Shape()[d] > n:
		err = w.a.Shrink(d, n)
	case k < 15 && w.a.Shape()[d] > n:
		err = w.a.ShrinkLow(d, n)
	default:
		sec = w.some()
	}
	if err != nil {
		t.Fatal(err)
	}
	if sec == nil {
		if err := w.a.Sync(); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint("cut to ", w.a.Bounds())
	}
	w.write(t, sec)
	return fmt.Sprint("written ", sec)
}

// some returns a random section.
func (w *world) some() nd.Section {
	sec := w.a.Bounds()
	for i, r := range sec {
		lo := r.Lo + w.rng.IntN(r.Len())
		sec[i] = nd.Span(lo, lo+1+w.rng.IntN(r.Hi-lo))
	}
	return sec
}

// cube returns the scene, for batch runs.
func (w *world) cube(t testing.TB, o scene.Options) *scene.Cube {
	t.Helper()
	src, err := array.New(w.a, w.dims)
	if err != nil {
		t.Fatal(err)
	}
	lo := w.a.Bounds()[w.order[2]].Lo
	bad := []int{}
	for _, b := range o.BadBands {
		if b -= lo; b >= 0 && b < src.Bands() {
			bad = append(bad, b)
		}
	}
	o.BadBands = bad
	c, err := scene.New(src, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// searches are the searches that histories keep. Only for nfindr without a reduction the result may
// differ from a batch run.
var searches = []Search{
	{Method: &endmember.PPI{Skewers: 9, Seed: 3}, Count: 2},
	{Method: &endmember.ATGP{}, Count: 3},
	{Method: &endmember.SGA{}, Count: 3, Mean: 3},
	{Method: &endmember.AMEE{Window: 3, Rounds: 1}, Count: 2},
	{Method: &endmember.AMEE{Window: 3, MaxWindow: 5}, Count: 2},
	{Method: &endmember.FIPPI{}, Count: 2},
	{Method: &endmember.ATGP{}, Count: 2, Reduce: Reduction{Method: reduce.ByPCT, Components: 2}},
	{Method: &endmember.PPI{Skewers: 9, Seed: 3}, Count: 2, Reduce: Reduction{Method: reduce.ByMNF, Components: 2}},
	{Method: &endmember.SISAL{Seed: 3, Rounds: 3}, Count: 2},
	{Method: &endmember.NFINDR{Starts: 1, Seed: 5}, Count: 3},
	{Method: &endmember.NFINDR{Starts: 1, Seed: 5}, Count: 2, Mean: 3},
	{Method: &endmember.VCA{Seed: 7}, Count: 2},
}

// A history is a world with sessions.
type history struct {
	*world
	o    SessionOptions
	log  []string
	kept int // updates that began from a result and read less than the whole cube
}

func newHistory(t testing.TB, rng *rand.Rand) *history {
	t.Helper()
	w := newWorld(t, rng, "cube", drx.DurabilityNone)
	h := &history{world: w, o: SessionOptions{Dims: &w.dims, Noise: rng.IntN(2) == 0, blockTiles: 1 + rng.IntN(2)}}
	h.o.Scene.Workers = 1 + rng.IntN(3)
	if rng.IntN(3) == 0 {
		h.o.Scene.BadBands = []int{w.a.Bounds()[w.order[2]].Hi}
	}
	if rng.IntN(3) == 0 {
		h.o.Scene.Masked = func(p scene.Pixel) bool { return (p.Line*7+p.Sample)%11 == 0 }
	}
	h.o.Searches = []Search{searches[rng.IntN(len(searches))]}
	switch rng.IntN(3) {
	case 0:
		h.o.Abundances = &Abundances{Name: "abundances", Method: unmix.Methods()[rng.IntN(3)], DType: dtype.Float64}
	case 1:
		h.o.Abundances = &Abundances{Name: "abundances", Method: unmix.FCLS, DType: dtype.Float64, Spectra: [][]float64{{900, 20, 30}, {20, 900, 40}}}
	}
	return h
}

// check compares the results of a session with batch runs.
func (h *history) check(t testing.TB, s *Session, r *Report) error {
	t.Helper()
	c := h.cube(t, h.o.Scene)
	want, err := Measure(t.Context(), c, h.o.Noise)
	if err != nil {
		return err
	}
	got := s.Moments()
	if err := equalMoments("spectra", got.Spectra, want.Spectra); err != nil {
		return err
	}
	if h.o.Noise {
		if err := equalMoments("differences", got.Differences, want.Differences); err != nil {
			return err
		}
	}
	if err := h.checkSearch(t, s, r, c); err != nil {
		return err
	}
	return h.checkAbundances(t, s, r, c)
}

func equalMoments(what string, got, want *stats.Moments) error {
	a, err := got.MarshalBinary()
	b, err2 := want.MarshalBinary()
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		return fmt.Errorf("%s: the moments of %d vectors differ from those of %d in a batch run, errors %v, %v", what, got.Count(), want.Count(), err, err2)
	}
	return nil
}

func (h *history) checkSearch(t testing.TB, s *Session, r *Report, c *scene.Cube) error {
	t.Helper()
	x := h.o.Searches[0]
	got, err := s.Found(0)
	want, err2 := x.Find(t.Context(), c)
	if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
		return fmt.Errorf("%s: error %v, in a batch run %v", x.name(), err, err2)
	}
	if err != nil {
		if r.Results[1].Standing != NoResult {
			return fmt.Errorf("%s: %s, but %w", x.name(), r.Results[1].Standing, err)
		}
		return nil
	}
	switch r.Results[1].Standing {
	case FixedPoint:
		return holds(t, s, c)
	case Provisional:
		return fmt.Errorf("%s is provisional", x.name())
	}
	a, err := json.Marshal(got)
	b, err2 := json.Marshal(want)
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		return fmt.Errorf("%s: %s, in a batch run %s, errors %v, %v", x.name(), a, b, err, err2)
	}
	return nil
}

// holds verifies the certificate of N-FINDR by computing the volumes with every pixel in place of
// every vertex.
func holds(t testing.TB, s *Session, c *scene.Cube) error {
	t.Helper()
	list := s.found[0].method.Endmembers()
	points := make([][]float64, len(list))
	for i, e := range list {
		points[i] = e.Spectrum
	}
	volume := gramVolume(points)
	space, err := derived.Mean(c, max(1, s.o.Searches[0].Mean))
	if err != nil {
		return err
	}
	tile, err := space.Read(t.Context(), c.Bounds())
	if err != nil {
		return err
	}
	for i, valid := range tile.Valid {
		for j := range points {
			if !valid {
				continue
			}
			other := slices.Clone(points)
			other[j] = tile.Spectrum(i)
			if v := gramVolume(other); v > volume*(1+1e-6) {
				return fmt.Errorf("pixel %v in the place of vertex %d enlarges the simplex from %g to %g", tile.Block.At(i), j, volume, v)
			}
		}
	}
	return nil
}

// gramVolume computes the volume by elimination: the square root of the determinant of the products
// of the edges from the first point.
func gramVolume(points [][]float64) float64 {
	n := len(points) - 1
	m := make([][]float64, n)
	for i := range n {
		m[i] = make([]float64, n)
		for j := range n {
			for b := range points[0] {
				m[i][j] += (points[i+1][b] - points[0][b]) * (points[j+1][b] - points[0][b])
			}
		}
	}
	det := 1.0
	for k := range n {
		det *= m[k][k]
		if !(m[k][k] > 0) {
			return 0
		}
		for i := k + 1; i < n; i++ {
			f := m[i][k] / m[k][k]
			for j := k; j < n; j++ {
				m[i][j] -= f * m[k][j]
			}
		}
	}
	return math.Sqrt(det)
}

func (h *history) checkAbundances(t testing.TB, s *Session, r *Report, c *scene.Cube) error {
	t.Helper()
	o := h.o.Abundances
	if o == nil {
		return nil
	}
	solver, problem := s.solver(c)
	if last := r.Results[len(r.Results)-1]; problem != nil || last.Standing != EqualToBatch {
		if problem == nil || last.Problem != problem.Error() || last.Standing != NoResult {
			return fmt.Errorf("abundances: %+v, want the problem %v", last, problem)
		}
		return nil
	}
	want, err := scene.NewPlane(c.Bounds(), solver.Endmembers())
	if err != nil {
		return err
	}
	if _, err := solver.Cube(t.Context(), c, c.Bounds(), want, nil); err != nil {
		return err
	}
	a, err := drx.Open(o.Name, drx.Options{})
	if err != nil {
		return err
	}
	got, err := drx.Read[float64](a, nil)
	if err := errors.Join(err, a.Close()); err != nil {
		return err
	}
	n := solver.Endmembers()
	if b := c.Bounds(); !slices.Equal(a.Shape(), []int{b.Lines(), b.Samples(), n}) || a.Bounds()[0].Lo != b.Lo.Line || a.Bounds()[1].Lo != b.Lo.Sample {
		return fmt.Errorf("abundances of %v, the cube has %v", a.Bounds(), b)
	}
	for i := range c.Bounds().Pixels() {
		for k, v := range want.At(c.Bounds().At(i)) {
			if x := got[i*n+k]; math.Float64bits(x) != math.Float64bits(v) && !(math.IsNaN(x) && math.IsNaN(v)) {
				return fmt.Errorf("abundance %d of %v is %v, in a batch run %v", k, c.Bounds().At(i), x, v)
			}
		}
	}
	return nil
}

// TestGrownAndCutHistories: after each step of random histories the session has the results of
// batch runs, bit for bit. Sessions end at any step of an update and are opened again.
func TestGrownAndCutHistories(t *testing.T) {
	const histories = 1000
	updates, died, kept := 0, 0, 0
	all := enumtest.Of(t)
	for seed := range uint64(histories) {
		if !all.Try() {
			continue
		}
		inMemory(t)
		h := newHistory(t, rand.New(rand.NewPCG(seed, 1)))
		u, d := h.run(t, seed)
		updates, died, kept = updates+u, died+d, kept+h.kept
		if t.Failed() {
			return
		}
	}
	t.Logf("%d updates, %d more died, %d began from results", updates, died, kept)
	all.Want(histories)
	if updates < 20*died/10 || died < updates/10 || kept < updates/4 {
		t.Errorf("%d updates, %d more died, %d began from results: the test is too easy", updates, died, kept)
	}
}

var errDied = errors.New("died")

// run runs a history. It returns the number of complete updates, and of those that were
// interrupted.
func (h *history) run(t *testing.T, seed uint64) (updates, died int) {
	s, err := OpenSession(h.a, h.o)
	if err != nil {
		t.Fatal(err)
	}
	first := h.o.Searches[0]
	for range 2 + h.rng.IntN(3) {
		left := -1
		if h.rng.IntN(4) == 0 {
			left = h.rng.IntN(3)
		}
		s.o.step = func(what string) error {
			if left--; left == -1 {
				return fmt.Errorf("%w %s", errDied, what)
			}
			return nil
		}
		var told []nd.Section
		if h.rng.IntN(4) == 0 {
			told = append(told, h.some())
		}
		r, err := s.Update(t.Context(), told...)
		if errors.Is(err, errDied) {
			died++
			if h.rng.IntN(2) == 0 {
				h.log = append(h.log, h.change(t))
			}
			left = -1
			r, err = s.Update(t.Context())
		}
		if err != nil {
			t.Fatalf("history %d, %v: %v", seed, h.log, err)
		}
		updates++
		if err := h.check(t, s, r); err != nil {
			t.Errorf("history %d, %s, after %v: %v", seed, h.a.DType(), h.log, err)
			return updates, died
		}
		if h.rng.IntN(3) == 0 {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			// Also use abundances of another search with the same number of endmembers.
			if other := searches[h.rng.IntN(len(searches))]; h.rng.IntN(2) == 0 && other.Count == first.Count {
				h.o.Searches = [][]Search{{first}, {other}}[h.rng.IntN(2)]
			}
			if s, err = OpenSession(h.a, h.o); err != nil {
				t.Fatalf("history %d, %v: %v", seed, h.log, err)
			}
		}
		if len(r.Changed) > 0 && r.Changed[0] != h.pixels(h.a.Bounds()) {
			h.kept++
		}
		for range 1 + h.rng.IntN(2) {
			h.log = append(h.log, h.change(t))
		}
	}
	if err := errors.Join(s.Close(), h.a.Close()); err != nil {
		t.Fatal(err)
	}
	return updates, died
}

// TestHistoriesByProcs: any number of procs has the results of one.
func TestHistoriesByProcs(t *testing.T) {
	for seed := range uint64(200) {
		inMemory(t)
		h := newHistory(t, rand.New(rand.NewPCG(seed, 2)))
		procs := 1 + h.rng.IntN(4)
		err := par.Run(procs, func(c par.Comm) error {
			o := h.o
			o.Comm = c
			s, err := OpenSession(h.a, o)
			if err != nil {
				return err
			}
			for range 3 {
				r, err := s.Update(t.Context())
				if err == nil {
					err = h.check(t, s, r)
				}
				if err := c.Agree("check", err); err != nil {
					return err
				}
				if c.Proc() == 0 {
					h.log = append(h.log, h.change(t))
				}
				if err := c.Barrier(); err != nil {
					return err
				}
			}
			return s.Close()
		})
		if err != nil {
			t.Fatalf("history %d, %d procs, after %v: %v", seed, procs, h.log, err)
		}
	}
}
