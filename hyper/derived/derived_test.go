package derived_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"drx/hyper/derived"
	"drx/hyper/scene"
)

func random(t *testing.T, rng *rand.Rand, b scene.Block, bands int, opts scene.Options) *scene.Cube {
	t.Helper()
	data := make([]float64, b.Pixels()*bands)
	for i := range data {
		data[i] = rng.NormFloat64()
		if rng.IntN(20*bands) == 0 {
			data[i] = math.NaN()
		}
	}
	src, err := scene.InMemory(b, bands, data)
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

func read(t *testing.T, c *scene.Cube, b scene.Block) *scene.Tile {
	t.Helper()
	tile, err := c.Read(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return tile
}

// TestMean compares means with sums over all neighbouring pixels, and reading in parts with reading
// at once.
func TestMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		b := block(-rng.IntN(5), 1+rng.IntN(9), -rng.IntN(5), 1+rng.IntN(9))
		c := random(t, rng, b, 3, scene.Options{})
		k := 2*rng.IntN(4) + 1
		m, err := derived.Mean(c, k)
		if err != nil {
			t.Fatal(err)
		}
		in, out := read(t, c, b), read(t, m, b)
		for i := range b.Pixels() {
			if out.Valid[i] != in.Valid[i] {
				t.Fatalf("pixel %v: valid is %v", b.At(i), out.Valid[i])
			}
			if !in.Valid[i] {
				continue
			}
			want, n := make([]float64, 3), 0.0
			for j := range b.Pixels() {
				p, q := b.At(i), b.At(j)
				if in.Valid[j] && max(p.Line-q.Line, q.Line-p.Line, p.Sample-q.Sample, q.Sample-p.Sample) <= k/2 {
					n++
					for x := range want {
						want[x] += in.Spectrum(j)[x]
					}
				}
			}
			for x := range want {
				if math.Abs(out.Spectrum(i)[x]-want[x]/n) > 1e-12 {
					t.Fatalf("pixel %v has mean %v, want %v of %v", b.At(i), out.Spectrum(i), want, n)
				}
			}
			if one := read(t, m, b.At(i).Block()); !slices.Equal(one.Data, out.Spectrum(i)) {
				t.Fatalf("pixel %v alone is %v, within the block %v", b.At(i), one.Data, out.Spectrum(i))
			}
		}
	}
}

func TestProject(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	b := block(-2, 20, 0, 70)
	c := random(t, rng, b, 5, scene.Options{Workers: 2})
	in := read(t, c, b)
	p := &derived.Projection{
		Axes:   [][]float64{{1, 0, 0, 0, 0}, {0, 1, 1, 0, 0}},
		Offset: []float64{1, 2, 3, 4, 5}, Divisor: []float64{1, 2}, Constant: 7,
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	back := &derived.Projection{}
	if err := json.Unmarshal(text, back); err != nil || !reflect.DeepEqual(p, back) {
		t.Fatalf("%s becomes %v, error %v", text, back, err)
	}
	y, err := derived.Project(c, back)
	if err != nil {
		t.Fatal(err)
	}
	out := read(t, y, b)
	for i := range b.Pixels() {
		if out.Valid[i] != in.Valid[i] {
			t.Fatalf("pixel %v: valid is %v", b.At(i), out.Valid[i])
		}
		if !in.Valid[i] {
			continue
		}
		x := in.Spectrum(i)
		a, e := x[0]-1, (x[1]-2)+(x[2]-3)
		want := []float64{a / (a + 2*e), e / (a + 2*e), 7}
		for k, v := range out.Spectrum(i) {
			if math.Abs(v-want[k]) > 1e-12*math.Abs(want[k]) {
				t.Fatalf("pixel %v becomes %v, want %v", b.At(i), out.Spectrum(i), want)
			}
		}
	}
}

func TestWrongArguments(t *testing.T) {
	c := random(t, rand.New(rand.NewPCG(5, 6)), block(0, 2, 0, 2), 2, scene.Options{})
	for k, want := range map[int]string{
		0: "a mean of 0 x 0 pixels: the extent must be odd and at least 1",
		4: "a mean of 4 x 4 pixels: the extent must be odd and at least 1",
	} {
		if _, err := derived.Mean(c, k); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for want, p := range map[string]*derived.Projection{
		"a projection needs at least 1 axis":                     {},
		"axis 0 of the projection has 1 bands, the scene 2":      {Axes: [][]float64{{1}}},
		"the offset of the projection has 3 bands, the scene 2":  {Axes: [][]float64{{1, 2}}, Offset: []float64{1, 2, 3}},
		"the divisor of the projection has 2 numbers for 1 axes": {Axes: [][]float64{{1, 2}}, Divisor: []float64{1, 2}},
	} {
		if _, err := derived.Project(c, p); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
