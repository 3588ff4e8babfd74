package endmember_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"drx/hyper/endmember"
	"drx/hyper/scene"
)

func block(l0, l1, s0, s1 int) scene.Block {
	return scene.Block{Lo: scene.Pixel{Line: l0, Sample: s0}, Hi: scene.Pixel{Line: l1, Sample: s1}}
}

func inMemory(t *testing.T, b scene.Block, bands int, data []float64) *scene.Cube {
	t.Helper()
	src, err := scene.InMemory(b, bands, data)
	if err != nil {
		t.Fatal(err)
	}
	return newCube(t, src, scene.Options{})
}

func newCube(t *testing.T, src scene.Source, opts scene.Options) *scene.Cube {
	t.Helper()
	c, err := scene.New(src, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// plainAngle returns acos(a'b / |a| |b|).
func plainAngle(a, b []float64) float64 {
	return math.Acos(max(-1, min(1, plainDot(a, b)/math.Sqrt(plainDot(a, a)*plainDot(b, b)))))
}

func plainDot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// A world is a scene of which only a part exists yet, and which changes.
type world struct {
	rng   *rand.Rand
	all   scene.Block
	now   scene.Block
	bands int
	pure  [][]float64
	data  []float64
}

func newWorld(rng *rand.Rand, bands, materials, margin int) *world {
	l, s := 2+rng.IntN(6), 2+rng.IntN(6)
	w := &world{rng: rng, now: block(0, l, 0, s), bands: bands}
	w.all = w.now.Grow(margin)
	w.data = make([]float64, w.all.Pixels()*bands)
	for range materials {
		x := make([]float64, bands)
		for b := range x {
			x[b] = 1 + 10*rng.Float64()
		}
		w.pure = append(w.pure, x)
	}
	w.repaint(w.all)
	return w
}

// repaint gives the pixels of a block new values: mixtures with noise, some unusable, some equal to
// others.
func (w *world) repaint(b scene.Block) {
	for i := range b.Pixels() {
		x := w.data[w.all.Index(b.At(i))*w.bands:][:w.bands]
		if w.rng.IntN(10) == 0 {
			copy(x, w.data[w.rng.IntN(w.all.Pixels())*w.bands:])
			continue
		}
		sum, share := 0.0, make([]float64, len(w.pure))
		for m := range share {
			share[m] = math.Pow(w.rng.Float64(), 3)
			sum += share[m]
		}
		for k := range x {
			x[k] = 0.05 * w.rng.NormFloat64()
			for m, p := range w.pure {
				x[k] += share[m] / sum * p[k]
			}
		}
		if w.rng.IntN(25) == 0 {
			x[w.rng.IntN(w.bands)] = math.NaN()
		}
	}
}

// change extends the world on one side, or repaints a block of it. It returns the new or changed
// pixels.
func (w *world) change() scene.Block {
	b, n := w.now, 1+w.rng.IntN(3)
	switch w.rng.IntN(6) {
	case 0:
		w.now.Lo.Line = max(w.all.Lo.Line, b.Lo.Line-n)
		b.Hi.Line, b.Lo.Line = b.Lo.Line, w.now.Lo.Line
	case 1:
		w.now.Lo.Sample = max(w.all.Lo.Sample, b.Lo.Sample-n)
		b.Hi.Sample, b.Lo.Sample = b.Lo.Sample, w.now.Lo.Sample
	case 2:
		w.now.Hi.Sample = min(w.all.Hi.Sample, b.Hi.Sample+n)
		b.Lo.Sample, b.Hi.Sample = b.Hi.Sample, w.now.Hi.Sample
	case 3:
		p := b.At(w.rng.IntN(b.Pixels()))
		b = p.Block().Grow(w.rng.IntN(2)).Intersect(b)
		w.repaint(b)
	default:
		w.now.Hi.Line = min(w.all.Hi.Line, b.Hi.Line+n)
		b.Lo.Line, b.Hi.Line = b.Hi.Line, w.now.Hi.Line
	}
	return b
}

// Bounds returns the part that exists.
func (w *world) Bounds() scene.Block { return w.now }

// Bands returns the number of bands.
func (w *world) Bands() int { return w.bands }

// Integers16 returns false.
func (w *world) Integers16() bool { return false }

// Read copies pixels.
func (w *world) Read(_ context.Context, b scene.Block, dst []float64) error {
	for i := range b.Pixels() {
		copy(dst[i*w.bands:][:w.bands], w.data[w.all.Index(b.At(i))*w.bands:])
	}
	return nil
}

// usable returns the usable pixels and their spectra, line by line.
func usable(t *testing.T, c *scene.Cube) (pixels []scene.Pixel, spectra [][]float64) {
	t.Helper()
	tile, err := c.Read(t.Context(), c.Bounds())
	if err != nil {
		t.Fatal(err)
	}
	for i, valid := range tile.Valid {
		if valid {
			pixels = append(pixels, tile.Block.At(i))
			spectra = append(spectra, tile.Spectrum(i))
		}
	}
	return pixels, spectra
}

// pixelsOf returns the pixels of endmembers, and checks that their spectra equal those of the cube.
func pixelsOf(t *testing.T, c *scene.Cube, found []endmember.Endmember) []scene.Pixel {
	t.Helper()
	list := make([]scene.Pixel, len(found))
	for i, e := range found {
		list[i] = e.Pixel()
		tile, err := c.Read(t.Context(), e.Pixel().Block())
		if err != nil || !reflect.DeepEqual(tile.Data, e.Spectrum) {
			t.Fatalf("endmember %d at %v has the spectrum %v, the scene %v, error %v", i, e.Pixel(), e.Spectrum, tile.Data, err)
		}
	}
	return list
}
