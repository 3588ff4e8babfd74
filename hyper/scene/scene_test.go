package scene_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"drx/hyper/scene"
)

// numbered returns a cube of two bands: line and sample.
func numbered(t *testing.T, b scene.Block, opts scene.Options) *scene.Cube {
	t.Helper()
	data := make([]float64, 0, b.Pixels()*2)
	for i := range b.Pixels() {
		p := b.At(i)
		data = append(data, float64(p.Line), float64(p.Sample))
	}
	src, err := scene.InMemory(b, 2, data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scene.New(src, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func block(l0, l1, s0, s1 int) scene.Block {
	return scene.Block{Lo: scene.Pixel{Line: l0, Sample: s0}, Hi: scene.Pixel{Line: l1, Sample: s1}}
}

func TestMapVisitsEachPixelOnceInOrder(t *testing.T) {
	for _, workers := range []int{1, 3} {
		c := numbered(t, block(-20, 40, -70, 100), scene.Options{Workers: workers})
		within := block(-18, 33, -70, 77)
		seen := map[scene.Pixel]int{}
		var order []scene.Block
		err := scene.Map(t.Context(), c, within, func(tile *scene.Tile) (*scene.Tile, error) {
			return &scene.Tile{Block: tile.Block, Bands: tile.Bands, Data: slices.Clone(tile.Data), Valid: slices.Clone(tile.Valid)}, nil
		}, func(tile *scene.Tile) error {
			order = append(order, tile.Block)
			for i := range tile.Block.Pixels() {
				p := tile.Block.At(i)
				seen[p]++
				if s := tile.Spectrum(i); s[0] != float64(p.Line) || s[1] != float64(p.Sample) {
					t.Fatalf("pixel %v has the spectrum %v", p, s)
				}
				if tile.Valid[i] != (p.Line != 0 || p.Sample != 0) {
					t.Fatalf("pixel %v: valid is %v", p, tile.Valid[i])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) != within.Pixels() {
			t.Fatalf("%d of %d pixels seen", len(seen), within.Pixels())
		}
		if want := slices.Collect(scene.Tiles(within)); !slices.Equal(order, want) {
			t.Fatalf("tiles came in the order %v, want %v", order, want)
		}
	}
}

func TestMapEndsWithTheFirstError(t *testing.T) {
	c := numbered(t, block(0, 64, 0, 256), scene.Options{Workers: 2})
	wrong := errors.New("wrong")
	none := func(*scene.Tile) (int, error) { return 0, nil }
	if err := scene.Map(t.Context(), c, c.Bounds(), none, func(int) error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("merge fails: %v", err)
	}
	if err := scene.Map(t.Context(), c, c.Bounds(), func(*scene.Tile) (int, error) { return 0, wrong }, func(int) error { return nil }); !errors.Is(err, wrong) {
		t.Errorf("f fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := scene.Map(ctx, c, c.Bounds(), none, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("context cancelled: %v", err)
	}
}

func TestBadBandsAndPixelsAreLeftOut(t *testing.T) {
	b := block(0, 1, 0, 4)
	src, err := scene.InMemory(b, 3, []float64{1, 2, 3, math.NaN(), 5, 6, 7, 8, 900, 0, 5, 0})
	if err != nil {
		t.Fatal(err)
	}
	c, err := scene.New(src, scene.Options{BadBands: []int{1}, Saturated: 900, Wavelengths: []float64{400, 500, 600}, Unit: "nm"})
	if err != nil {
		t.Fatal(err)
	}
	tile, err := c.Read(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(tile.Spectrum(0), []float64{1, 3}) || !slices.Equal(tile.Valid, []bool{true, false, false, false}) {
		t.Errorf("spectrum %v, valid %v", tile.Spectrum(0), tile.Valid)
	}
	if w, unit := c.Wavelengths(); !slices.Equal(w, []float64{400, 600}) || unit != "nm" {
		t.Errorf("wavelengths %v %s", w, unit)
	}
}

func TestWrongOptions(t *testing.T) {
	src, err := scene.InMemory(block(0, 1, 0, 1), 2, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for want, opts := range map[string]scene.Options{
		"bad band 2: the bands are 0 to 1":                {BadBands: []int{2}},
		"all 2 bands are bad: no band is left to analyse": {BadBands: []int{0, 1}},
		"1 wavelengths for 2 bands":                       {Wavelengths: []float64{1}},
	} {
		if _, err := scene.New(src, opts); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestTilesWithHalo(t *testing.T) {
	c := numbered(t, block(-5, 13, 0, 20), scene.Options{Workers: 2, KeepZero: true})
	n := 0
	err := scene.MapTiling(t.Context(), c, block(-3, 13, 0, 20), scene.Tiling{Lines: 4, Samples: 8, Halo: 3}, func(tile *scene.Tile, core scene.Block) (int, error) {
		if want := core.Grow(3).Intersect(c.Bounds()); tile.Block != want {
			t.Errorf("the tile of %s has %s, want %s", core, tile.Block, want)
		}
		if slices.Contains(tile.Valid, false) {
			t.Errorf("a pixel of %s is left out", tile.Block)
		}
		return core.Pixels(), nil
	}, func(m int) error { n += m; return nil })
	if err != nil || n != 16*20 {
		t.Errorf("%d pixels, error %v", n, err)
	}
}
