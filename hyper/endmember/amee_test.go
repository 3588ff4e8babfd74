package endmember_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/hyper/endmember"
	"drx/hyper/scene"
)

// plainMEI computes the indices of one pass over all windows. source has, per position, the pixel
// that its spectrum comes from, or -1. It returns the pixel of the dilation at each position.
func plainMEI(spectra [][]float64, b scene.Block, source []int, radius int, mei []float64) []int {
	window := func(p scene.Pixel) (list []int) {
		for i := range b.Pixels() {
			q := b.At(i)
			if source[i] >= 0 && max(p.Line-q.Line, q.Line-p.Line, p.Sample-q.Sample, q.Sample-p.Sample) <= radius {
				list = append(list, i)
			}
		}
		return list
	}
	between := func(i, j int) float64 {
		if source[i] == source[j] || slices.Equal(spectra[source[i]], spectra[source[j]]) {
			return 0
		}
		return plainAngle(spectra[source[i]], spectra[source[j]])
	}
	d := make([]float64, b.Pixels())
	for i := range d {
		if source[i] >= 0 {
			for _, j := range window(b.At(i)) {
				d[i] += between(i, j)
			}
		}
	}
	dilation := slices.Clone(source)
	for i := range dilation {
		if source[i] < 0 {
			continue
		}
		list := window(b.At(i))
		most, least := list[0], list[0]
		for _, j := range list {
			if d[j] > d[most] {
				most = j
			}
			if d[j] < d[least] {
				least = j
			}
		}
		dilation[i] = source[most]
		mei[dilation[i]] = max(mei[dilation[i]], between(most, least))
	}
	return dilation
}

// TestAMEEAgainstPlain compares both variants with plain implementations, on scenes of several
// tiles.
func TestAMEEAgainstPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for n := range 12 {
		b := block(-rng.IntN(10), 1+rng.IntN(12), 55, 66+rng.IntN(10))
		data := make([]float64, b.Pixels()*3)
		for i := range data {
			data[i] = 1 + rng.Float64()
			if rng.IntN(80) == 0 {
				data[i] = math.NaN()
			}
		}
		c := inMemory(t, b, 3, data)
		spectra, source := make([][]float64, b.Pixels()), make([]int, b.Pixels())
		tile, err := c.Read(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		for i, valid := range tile.Valid {
			spectra[i], source[i] = tile.Spectrum(i), i
			if !valid {
				source[i] = -1
			}
		}
		a := &endmember.AMEE{Count: 2, Apart: 0.05, Window: 3 + 2*rng.IntN(2)}
		want := make([]float64, b.Pixels())
		if n%2 == 0 {
			a.Rounds = 1 + rng.IntN(3)
			for range a.Rounds {
				source = plainMEI(spectra, b, source, a.Window/2, want)
			}
		} else {
			a.MaxWindow = a.Window + 2*rng.IntN(3)
			for w := a.Window; w <= a.MaxWindow; w += 2 {
				one := make([]float64, b.Pixels())
				plainMEI(spectra, b, source, w/2, one)
				for i, v := range one {
					want[i] += v / float64(1+(a.MaxWindow-a.Window)/2)
				}
			}
		}
		found, err := endmember.Find(t.Context(), c, a)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range a.MEI {
			if math.Abs(v-want[i]) > 1e-7 {
				t.Fatalf("%s, %+v: the MEI of %v is %v, want %v", b, a.Found, b.At(i), v, want[i])
			}
		}
		checkApart(t, b, spectra, a.MEI, a.Apart, pixelsOf(t, c, found))
	}
}

// checkApart compares pixels with a plain selection of high MEI and least angles.
func checkApart(t *testing.T, b scene.Block, spectra [][]float64, mei []float64, apart float64, found []scene.Pixel) {
	t.Helper()
	order := make([]int, len(mei))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(mei[j], mei[i]) })
	var kept []int
	for _, i := range order {
		if len(kept) < len(found) && !slices.ContainsFunc(kept, func(j int) bool { return plainAngle(spectra[i], spectra[j]) < apart }) {
			kept = append(kept, i)
		}
	}
	for k, p := range found {
		if p != b.At(kept[k]) {
			t.Fatalf("endmember %d is %v, want %v", k, p, b.At(kept[k]))
		}
	}
}

// TestAMEEBeyondTheShortList has a material that occurs in so few pixels of low MEI that the whole
// cube must be read to find it.
func TestAMEEBeyondTheShortList(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	b := block(0, 70, 0, 70)
	data := make([]float64, b.Pixels()*3)
	for i := range b.Pixels() {
		x := data[3*i:][:3]
		x[0], x[1], x[2] = 10+rng.NormFloat64(), 10, 1
		switch p := b.At(i); {
		case p.Line < 6 && p.Sample < 6:
			x[0], x[1], x[2] = 1+0.001*rng.NormFloat64(), 1, 10
		case p.Line < 6 && p.Sample >= 12 && p.Sample < 18: // again, to have equal indices
			copy(x, data[3*(i-12):])
		case p.Line < 12 && p.Sample < 24: // a border: no window has both materials
			x[0] = math.NaN()
		}
	}
	c := inMemory(t, b, 3, data)
	a := &endmember.AMEE{Count: 2, Apart: 0.8, Window: 3, Rounds: 1}
	found, err := endmember.Find(t.Context(), c, a)
	if err != nil {
		t.Fatal(err)
	}
	tile, err := c.Read(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	spectra := make([][]float64, b.Pixels())
	higher := 0
	for i := range spectra {
		spectra[i] = tile.Spectrum(i)
		if a.MEI[i] > a.MEI[b.Index(found[1].Pixel())] {
			higher++
		}
	}
	if higher < 1100 {
		t.Fatalf("only %d pixels have a higher MEI", higher)
	}
	checkApart(t, b, spectra, a.MEI, a.Apart, pixelsOf(t, c, found))
}
