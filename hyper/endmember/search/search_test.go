package search_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"drx/hyper/derived"
	"drx/hyper/endmember/search"
	"drx/hyper/scene"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// random returns a scene with some unusable pixels, and some equal or nearly equal ones.
func random(t *testing.T, rng *rand.Rand, b scene.Block, bands, workers int) (*scene.Cube, *scene.Tile) {
	t.Helper()
	data := make([]float64, b.Pixels()*bands)
	scale := 1.0
	if rng.IntN(10) == 0 {
		scale = 1e160 // squares overflow
	}
	for i := range b.Pixels() {
		x := data[i*bands:][:bands]
		if i > 0 && rng.IntN(5) == 0 {
			copy(x, data[rng.IntN(i)*bands:])
			if rng.IntN(2) == 0 { // closer than the errors of a matrix product
				k := rng.IntN(bands)
				x[k] = math.Nextafter(x[k], 1000*rng.Float64())
			}
			continue
		}
		for j := range x {
			x[j] = scale * (100 + rng.NormFloat64())
		}
		if rng.IntN(10) == 0 {
			x[rng.IntN(bands)] = math.NaN()
		}
	}
	src, err := scene.InMemory(b, bands, data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scene.New(src, scene.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	tile, err := c.Read(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return c, tile
}

func randomBlock(rng *rand.Rand) scene.Block {
	l, s := rng.IntN(30)-15, rng.IntN(140)-70
	return scene.Block{Lo: scene.Pixel{Line: l, Sample: s}, Hi: scene.Pixel{Line: l + 1 + rng.IntN(30), Sample: s + 1 + rng.IntN(130)}}
}

// A backward is a kernel that sums in the opposite order of gonum's, so its rounding errors differ.
type backward struct{ gonum.Implementation }

func (backward) Dgemm(_, _ blas.Transpose, m, n, k int, _ float64, a []float64, lda int, b []float64, ldb int, _ float64, c []float64, ldc int) {
	for i := range m {
		for j := range n {
			s := 0.0
			for l := k - 1; l >= 0; l-- {
				s += a[i*lda+l] * b[j*ldb+l]
			}
			c[i*ldc+j] = s
		}
	}
}

// TestRanges compares Ranges with the scalar products of all pixels, for two kernels of the matrix
// product.
func TestRanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 40 {
		b, bands := randomBlock(rng), 1+rng.IntN(20)
		c, tile := random(t, rng, b, bands, 1+rng.IntN(3))
		forms := make([]float64, (1+rng.IntN(150))*bands)
		for i := range forms {
			forms[i] = rng.NormFloat64()
		}
		want := make([]search.Range, len(forms)/bands)
		for f := range want {
			for i, valid := range tile.Valid {
				if valid {
					v := derived.Dot(forms[f*bands:][:bands], tile.Spectrum(i))
					want[f].High.Add(v, b.At(i))
					want[f].Low.Add(-v, b.At(i))
				}
			}
		}
		usual := blas64.Implementation()
		for _, kernel := range []blas.Float64{gonum.Implementation{}, backward{}} {
			blas64.Use(kernel)
			got, err := search.Ranges(t.Context(), c, b, forms)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, %d bands: %v, want %v, error %v", b, bands, got, want, err)
			}
		}
		blas64.Use(usual)
	}
}

// points returns random pixels as points.
func points(rng *rand.Rand, n, bands int) [][]float64 {
	list := make([][]float64, n)
	for i := range list {
		list[i] = make([]float64, bands)
		for j := range list[i] {
			list[i][j] = 100 + rng.NormFloat64()
		}
	}
	return list
}

// TestFarthest compares Farthest with the scores of all pixels, for two kernels of the matrix
// product.
func TestFarthest(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 40 {
		b, bands := randomBlock(rng), 3+rng.IntN(20)
		c, tile := random(t, rng, b, bands, 1+rng.IntN(3))
		span, ok1 := search.Span(points(rng, rng.IntN(bands), bands))
		affine, ok2 := search.Affine(points(rng, 1+rng.IntN(bands), bands))
		simplex, _, ok3 := search.Simplex(points(rng, 2+rng.IntN(bands-1), bands))
		if !ok1 || !ok2 || !ok3 {
			t.Fatal("random points are flat")
		}
		hulls := []*search.Hull{span, affine, simplex}
		scores := make([]float64, bands+1)
		want := make([][]search.Extreme, len(hulls))
		for h, hull := range hulls {
			want[h] = make([]search.Extreme, hull.Count())
			for i, valid := range tile.Valid {
				if valid {
					hull.Scores(scores, tile.Spectrum(i))
					for j := range want[h] {
						want[h][j].Add(scores[j], b.At(i))
					}
				}
			}
		}
		usual := blas64.Implementation()
		for _, kernel := range []blas.Float64{gonum.Implementation{}, backward{}} {
			blas64.Use(kernel)
			got, err := search.Farthest(t.Context(), c, b, hulls)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, %d bands: %v, want %v, error %v", b, bands, got, want, err)
			}
		}
		blas64.Use(usual)
	}
}

// TestSimplex compares volumes and scores with Gram determinants.
func TestSimplex(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		bands := 2 + rng.IntN(6)
		p := 2 + rng.IntN(bands)
		vertices := points(rng, p, bands)
		h, logVolume, ok := search.Simplex(vertices)
		if !ok {
			t.Fatal("random points are flat")
		}
		volume := gramVolume(vertices)
		if math.Abs(math.Exp(logVolume)/volume-1) > 1e-9 {
			t.Fatalf("volume %v, want %v", math.Exp(logVolume), volume)
		}
		x := points(rng, 1, bands)[0]
		scores := make([]float64, p)
		h.Scores(scores, x)
		for j := range p {
			exchanged := append([][]float64(nil), vertices...)
			exchanged[j] = x
			want := gramVolume(exchanged) / volume
			if got := math.Sqrt(scores[j]); math.Abs(got-want) > 1e-7*max(1, want) {
				t.Fatalf("exchange of vertex %d of %d in %d bands: ratio %v, want %v", j, p, bands, got, want)
			}
		}
	}
}

// gramVolume is sqrt(det(D'D)) / (p-1)!, with the differences of the vertices to the first one as
// the columns of D.
func gramVolume(vertices [][]float64) float64 {
	n := len(vertices) - 1
	g := make([][]float64, n)
	factorial := 1.0
	for i := range n {
		factorial *= float64(i + 1)
		g[i] = make([]float64, n)
		for j := range n {
			for b, v := range vertices[0] {
				g[i][j] += (vertices[i+1][b] - v) * (vertices[j+1][b] - v)
			}
		}
	}
	return math.Sqrt(max(0, determinant(g))) / factorial
}

// determinant expands along the first row.
func determinant(m [][]float64) float64 {
	if len(m) == 0 {
		return 1
	}
	d, sign := 0.0, 1.0
	for j := range m {
		var minor [][]float64
		for _, row := range m[1:] {
			minor = append(minor, append(append([]float64(nil), row[:j]...), row[j+1:]...))
		}
		d += sign * m[0][j] * determinant(minor)
		sign = -sign
	}
	return d
}

func TestFlatPoints(t *testing.T) {
	a, b := []float64{1, 2, 3}, []float64{4, 5, 7}
	middle := []float64{2.5, 3.5, 5}
	if _, ok := search.Span([][]float64{a, a}); ok {
		t.Error("a span of equal points is not flat")
	}
	if _, _, ok := search.Simplex([][]float64{a, b, middle}); ok {
		t.Error("a simplex of points on a line is not flat")
	}
	if _, ok := search.Span([][]float64{a, b, {0, 1, 0}}); !ok {
		t.Error("independent points are flat")
	}
}
