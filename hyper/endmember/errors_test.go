package endmember_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"drx/hyper/derived"
	"drx/hyper/endmember"
	"drx/hyper/scene"
)

// all returns a new method of each kind.
func all(count int) []endmember.Method {
	o := endmember.Options{Count: count}
	return []endmember.Method{
		&endmember.PPI{Options: o}, &endmember.FIPPI{Options: o}, &endmember.ATGP{Options: o}, &endmember.SGA{Options: o},
		&endmember.VCA{Options: o}, &endmember.NFINDR{Options: o, Starts: 2}, &endmember.AMEE{Count: count}, &endmember.SISAL{Count: count},
	}
}

// noise returns a scene of random values.
func noise(t *testing.T, b scene.Block, bands int, opts scene.Options) *scene.Cube {
	t.Helper()
	rng := rand.New(rand.NewPCG(51, 52))
	data := make([]float64, b.Pixels()*bands)
	for i := range data {
		data[i] = 1 + rng.Float64()
	}
	src, err := scene.InMemory(b, bands, data)
	if err != nil {
		t.Fatal(err)
	}
	return newCube(t, src, opts)
}

// fails checks that a method fails with a one-line error that has these words, and is unchanged.
func fails(t *testing.T, c *scene.Cube, m endmember.Method, words ...string) {
	t.Helper()
	before := reload(t, m)
	_, err := endmember.Find(t.Context(), c, m)
	if err == nil {
		t.Errorf("%T: no error, want %q", m, words)
		return
	}
	for _, w := range append(words, "") {
		if !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%T: error %q, want %q", m, err, words)
		}
	}
	if !reflect.DeepEqual(reload(t, m), before) {
		t.Errorf("%T has changed in spite of the error %v", m, err)
	}
}

func TestWrongCounts(t *testing.T) {
	c := noise(t, block(0, 9, 0, 9), 4, scene.Options{})
	for _, m := range all(1) {
		fails(t, c, m, "1 endmembers: at least 2 are needed")
	}
	for _, m := range all(6) {
		fails(t, c, m, "6 endmembers: at most", "in 4 dimensions")
	}
	p := &derived.Projection{Axes: [][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}}}
	for _, m := range []endmember.Method{
		&endmember.ATGP{Options: endmember.Options{Count: 3, Projection: p}},
		&endmember.NFINDR{Options: endmember.Options{Count: 4, Projection: p}},
	} {
		fails(t, c, m, "endmembers: at most", "in 2 dimensions")
	}
	p.Axes[1] = []float64{1}
	fails(t, c, &endmember.SGA{Options: endmember.Options{Count: 3, Projection: p}}, "axis 1 of the projection has 1 bands, the scene 4")
}

func TestTooFewPixels(t *testing.T) {
	few := noise(t, block(0, 5, 0, 5), 6, scene.Options{Masked: func(p scene.Pixel) bool { return p.Line != 2 || p.Sample > 2 }})
	for _, m := range all(4) {
		fails(t, few, m, "3 usable pixels: at least as many are needed as the 4 endmembers")
	}
	none := noise(t, block(0, 5, 0, 5), 6, scene.Options{Masked: func(scene.Pixel) bool { return true }})
	for _, m := range all(2) {
		fails(t, none, m)
	}
}

// TestFlatScenes has scenes in which all pixels are identical, or mixtures of two spectra.
func TestFlatScenes(t *testing.T) {
	b, bands := block(0, 20, 0, 20), 5
	rng := rand.New(rand.NewPCG(53, 54))
	for _, different := range []int{1, 2} {
		data := make([]float64, b.Pixels()*bands)
		for i := range b.Pixels() {
			a := 0.0
			if different == 2 {
				a = rng.Float64()
			}
			for k := range bands {
				data[i*bands+k] = (1-a)*float64(k+1) + a*float64((7*k)%5)
			}
		}
		c := inMemory(t, b, bands, data)
		for _, m := range all(3) {
			switch m.(type) {
			case *endmember.AMEE:
				if different == 1 {
					fails(t, c, m, "0 of 3 endmembers", "400 usable pixels")
				}
			case *endmember.PPI:
				if different == 1 {
					fails(t, c, m, "of 3 endmembers")
				}
			default:
				fails(t, c, m, "3 endmembers cannot be told apart: the 400 usable pixels are mixtures of")
			}
		}
	}
}

func TestUnusablePixelsAreNoEndmembers(t *testing.T) {
	b, bands := block(0, 20, 0, 20), 5
	rng := rand.New(rand.NewPCG(55, 56))
	data := make([]float64, b.Pixels()*bands)
	for i := range data {
		data[i] = 1 + rng.Float64()
	}
	bad := map[scene.Pixel]bool{}
	for n, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
		bad[b.At(37*n)] = true
		data[37*n*bands+2] = v
	}
	clear(data[200*bands:][:bands])
	bad[b.At(200)] = true
	src, err := scene.InMemory(b, bands, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all(3) {
		found, err := endmember.Find(t.Context(), newCube(t, src, scene.Options{Saturated: 1e200}), m)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range found {
			if !e.NoPixel && bad[e.Pixel()] {
				t.Errorf("%T: endmember %v has no usable spectrum", m, e)
			}
			for _, v := range e.Spectrum {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%T: endmember %v", m, e)
				}
			}
		}
	}
}

func TestAnotherCubeThanBefore(t *testing.T) {
	c := noise(t, block(0, 9, 0, 9), 5, scene.Options{})
	for _, m := range all(3) {
		if _, err := endmember.Find(t.Context(), c, m); err != nil {
			t.Fatal(err)
		}
		fails(t, noise(t, block(0, 9, 0, 9), 6, scene.Options{}), m, "the endmembers so far are from 5 bands and the scene has 6")
		fails(t, noise(t, block(1, 9, 0, 9), 5, scene.Options{}), m, "the scene had lines 0:9, samples 0:9 and has now only lines 1:9, samples 0:9")
	}
}

func TestWrongOptions(t *testing.T) {
	c := noise(t, block(0, 9, 0, 9), 5, scene.Options{})
	for _, s := range []struct {
		m    endmember.Method
		want string
	}{
		{&endmember.AMEE{Count: 2, Window: 4}, "option window=4: want an odd number, at least 3"},
		{&endmember.AMEE{Count: 2, Window: -1}, "option window=-1: want an odd number, at least 3"},
		{&endmember.AMEE{Count: 2, Window: 5, MaxWindow: 3}, "option max-window=3: want an odd number, at least 5"},
		{&endmember.AMEE{Count: 2, MaxWindow: 7, Rounds: 2}, "option rounds=2: with a largest window, of 7, there are no rounds"},
		{&endmember.AMEE{Count: 2, Rounds: -2}, "option rounds=-2: want at least 1"},
		{&endmember.AMEE{Count: 3, Apart: 1}, "of 3 endmembers: no more of the 81 usable pixels"},
		{&endmember.PPI{Options: endmember.Options{Count: 3}, Apart: 1}, "of 3 endmembers:"},
		{&endmember.PPI{Options: endmember.Options{Count: 2}, Skewers: -1}, "option skewers=-1: want at least 1"},
		{&endmember.NFINDR{Options: endmember.Options{Count: 2}, Starts: -1}, "option starts=-1: want at least 0"},
		{&endmember.SISAL{Count: 2, Weight: -1}, "option weight=-1: want at least 0"},
	} {
		fails(t, c, s.m, s.want)
	}
	small := noise(t, block(0, 9, 0, 9), 5, scene.Options{Memory: 1000})
	fails(t, small, &endmember.AMEE{Count: 2}, "option memory=1000: AMEE needs at least 1944, 24 bytes for each of 81 pixels")
	fails(t, small, &endmember.SISAL{Count: 2}, "option memory=1000: SISAL needs 2592 bytes for 81 pixels and 2 endmembers: give it these, or at most 31 pixels")
	if _, err := endmember.Find(t.Context(), small, &endmember.SISAL{Count: 2, Pixels: 31}); err != nil {
		t.Error(err)
	}
}

// A brokenSource is a source that cannot be read.
type brokenSource struct {
	*world
	err error
}

func (b *brokenSource) Read(ctx context.Context, c scene.Block, dst []float64) error {
	if b.err != nil {
		return b.err
	}
	return b.world.Read(ctx, c, dst)
}

// TestFailedReadsChangeNothing lets the reading fail in the first and in later Updates.
func TestFailedReadsChangeNothing(t *testing.T) {
	wrong := errors.New("wrong")
	for i := range all(3) {
		src := &brokenSource{newWorld(rand.New(rand.NewPCG(57, 58)), 5, 4, 8), wrong}
		src.now = block(0, 8, 0, 8)
		m, c := all(3)[i], newCube(t, src, scene.Options{})
		fails(t, c, m, "wrong")
		src.err = nil
		if err := m.Update(t.Context(), c, src.now); err != nil {
			t.Fatal(err)
		}
		src.err = wrong
		fails(t, c, m, "wrong")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := m.Update(ctx, c, src.now); !errors.Is(err, context.Canceled) && !errors.Is(err, wrong) {
			t.Errorf("%T: error %v", m, err)
		}
	}
}

// TestStatesOfOtherOptions changes options, or the state, between two Updates.
func TestStatesOfOtherOptions(t *testing.T) {
	c := noise(t, block(0, 9, 0, 9), 5, scene.Options{})
	project := &derived.Projection{Axes: [][]float64{{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}}}
	for i, change := range []struct {
		f    func(m endmember.Method)
		want string
	}{
		{func(m endmember.Method) { m.(*endmember.PPI).Skewers = 7 }, "the state has 1000 skewers, the options want 7"},
		{func(m endmember.Method) { m.(*endmember.FIPPI).Skewers[0].Point = nil }, "the state has 0 values per skewer, the options want 5"},
		{func(m endmember.Method) { m.(*endmember.ATGP).Projection = project }, "the state has 5 values per endmember, the options want 3"},
		{func(m endmember.Method) { m.(*endmember.SGA).Steps[1].Point = nil }, "the state has 0 values per endmember, the options want 5"},
		{func(m endmember.Method) { m.(*endmember.VCA).Steps[1].Point = nil }, "the state has 0 values per endmember, the options want 3"},
		{func(m endmember.Method) { m.(*endmember.NFINDR).Count = 4 }, "the state has 3 vertices, the options want 4"},
		{func(m endmember.Method) { m.(*endmember.AMEE).MEI = []float64{1} }, "the state has 1 values of MEI, the options want 81"},
	} {
		m := all(3)[i]
		if _, err := endmember.Find(t.Context(), c, m); err != nil {
			t.Fatal(err)
		}
		change.f(m)
		fails(t, c, m, change.want)
	}
	o := endmember.Options{Count: 4}
	a := &endmember.ATGP{Options: o}
	for _, a.Count = range []int{4, 2, 3} {
		if err := a.Update(t.Context(), c, scene.Block{}); err != nil {
			t.Fatal(err)
		}
		fresh := &endmember.ATGP{Options: a.Options}
		if _, err := endmember.Find(t.Context(), c, fresh); err != nil || !reflect.DeepEqual(a, fresh) {
			t.Errorf("%+v, a new one %+v, error %v", a, fresh, err)
		}
	}
}
