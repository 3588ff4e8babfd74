package main

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/par"
)

// A matrix is an array in a folder of a test, and its expected elements.
type matrix struct {
	name   string
	bounds [2]span
	value  func(i, j int) float64
}

// newMatrix creates an array with chunks of odd extents; chunks of A and B need not fit to those of
// C.
func newMatrix(t testing.TB, dir, name string, r, c span, value func(i, j int) float64) *matrix {
	m := &matrix{name: filepath.Join(dir, name), value: value, bounds: [2]span{r, {c[0], c[0]}}}
	spec := drx.Spec{DType: dtype.Float64, Lo: []int{r[0], c[0]}, Shape: []int{r.len(), 0}, ChunkShape: []int{24, 37}}
	a, err := drx.Create(m.name, spec)
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := m.grow(1, c.len(), false); err != nil {
		t.Fatal(err)
	}
	return m
}

// grow extends the array and writes the new elements, in one commit, as an outside program does.
func (m *matrix) grow(d, by int, low bool) error {
	a, err := drx.Open(m.name, drx.Options{Write: true})
	if err != nil {
		return err
	}
	defer a.Close()
	extend := a.Extend
	if low {
		extend = a.ExtendLow
		m.bounds[d][0] -= by
	} else {
		m.bounds[d][1] += by
	}
	added, err := extend(d, by)
	if err != nil {
		return err
	}
	data := make([]float64, 0, added[0].Len()*added[1].Len())
	for i := added[0].Lo; i < added[0].Hi; i++ {
		for j := added[1].Lo; j < added[1].Hi; j++ {
			data = append(data, m.value(i, j))
		}
	}
	if err := drx.Write(a, added, data); err != nil {
		return err
	}
	return a.Sync()
}

// integers returns a matrix of small integers, whose products and sums are exact.
func integers(seed uint64) func(i, j int) float64 {
	return func(i, j int) float64 { return float64(int(random(seed, i, j).Uint64()%21) - 10) }
}

// normal returns a matrix of normally distributed numbers.
func normal(seed uint64) func(i, j int) float64 {
	return func(i, j int) float64 { return random(seed, i, j).NormFloat64() }
}

func random(seed uint64, i, j int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(i)<<32^uint64(uint32(j))))
}

// A problem is C = op(A) op(B) in a folder.
type problem struct {
	dir, c     string // the folder, and the name of C
	a, b       *matrix
	transposed [2]bool
}

// newProblem creates A, r x k, and B, k x c, in a folder of their own.
func newProblem(t testing.TB, r, c, k span, transposed [2]bool, value func(seed uint64) func(i, j int) float64) *problem {
	p := &problem{dir: t.TempDir(), transposed: transposed}
	p.c = filepath.Join(p.dir, "C")
	sides := [2][2]span{{r, k}, {k, c}}
	for i, flip := range transposed {
		if flip {
			sides[i][0], sides[i][1] = sides[i][1], sides[i][0]
		}
	}
	p.a = newMatrix(t, p.dir, "A", sides[0][0], sides[0][1], value(1))
	p.b = newMatrix(t, p.dir, "B", sides[1][0], sides[1][1], value(2))
	return p
}

// goal returns the products that the matrices have at present.
func (p *problem) goal() box {
	a, b := p.a.bounds, p.b.bounds
	if p.transposed[0] {
		a[0], a[1] = a[1], a[0]
	}
	if p.transposed[1] {
		b[0], b[1] = b[1], b[0]
	}
	return box{a[0], b[1], a[1].in(b[0])}
}

func (p *problem) atA(r, k int) float64 {
	if p.transposed[0] {
		r, k = k, r
	}
	return p.a.value(r, k)
}

func (p *problem) atB(k, c int) float64 {
	if p.transposed[1] {
		k, c = c, k
	}
	return p.b.value(k, c)
}

// factors returns op(A) and op(B) of the goal, dense.
func (p *problem) factors() (a, b []float64) {
	g := p.goal()
	for k := g[inner][0]; k < g[inner][1]; k++ {
		for c := g[cols][0]; c < g[cols][1]; c++ {
			b = append(b, p.atB(k, c))
		}
	}
	for r := g[rows][0]; r < g[rows][1]; r++ {
		for k := g[inner][0]; k < g[inner][1]; k++ {
			a = append(a, p.atA(r, k))
		}
	}
	return a, b
}

// small is the memory of each proc in tests: for some chunks of C, so that there are many tiles.
const small = 2 << 20

func (p *problem) settings(procs int) settings {
	return settings{
		names:  [3]string{p.a.name, p.b.name, p.c},
		memory: small * int64(procs), threads: 1, chunk: 16, transposed: p.transposed,
	}
}

// runSession runs a session of goroutine procs and returns its totals.
func runSession(procs int, s settings) (done totals, err error) {
	err = par.Run(procs, func(c par.Comm) error {
		found, err := session(c, s)
		if c.Proc() == 0 {
			done = found
		}
		return err
	})
	return done, err
}

// result reads C.
func (p *problem) result(t testing.TB) []float64 {
	a, err := drx.Open(p.c, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	g := p.goal()
	if want := nd.Sec(nd.Span(g[0][0], g[0][1]), nd.Span(g[1][0], g[1][1])); a.Bounds().String() != want.String() {
		t.Fatalf("C has the bounds %v, want %v", a.Bounds(), want)
	}
	data, err := drx.Read[float64](a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// missing returns the number of products that C lacks, by its record.
func (p *problem) missing(t testing.TB) (n float64) {
	a, err := drx.Open(p.c, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var r record
	if err := errors.Join(json.Unmarshal(a.Attrs()[recordAttr], &r), a.Close()); err != nil {
		t.Fatal(err)
	}
	for _, b := range r.missing(p.goal()) {
		n += float64(b[rows].len()) * float64(b[cols].len()) * float64(b[inner].len())
	}
	return n
}

// plain is the product, each element in the order of the inner index. It is exact for small
// integers.
func plain(g box, a, b []float64) []float64 {
	n, depth := g[cols].len(), g[inner].len()
	c := make([]float64, g[rows].len()*n)
	for r := range g[rows].len() {
		row := c[r*n:][:n]
		for k := range depth {
			x := a[r*depth+k]
			for j, y := range b[k*n:][:n] {
				row[j] += x * y
			}
		}
	}
	return c
}

// checkExact compares C with the plain product.
func (p *problem) checkExact(t testing.TB) {
	t.Helper()
	a, b := p.factors()
	got := p.result(t)
	for i, v := range plain(p.goal(), a, b) {
		if got[i] != v {
			t.Fatalf("element %d is %v, want %v", i, got[i], v)
		}
	}
}

// sameBits compares two products of normally distributed numbers: bit for bit, unless OpenBLAS
// computes them.
func sameBits(t testing.TB, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) && (fixedOrder || !(math.Abs(got[i]-want[i]) <= 1e-11)) {
			t.Fatalf("element %d is %v, want %v", i, got[i], want[i])
		}
	}
}
