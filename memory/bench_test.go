package memory_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"drx/axial"
	"drx/internal/growtest"
	"drx/memory"
	"drx/nd"
)

// A flat is the conventional array: row-major, and moved as a whole when it grows in any dimension
// but the first.
type flat struct {
	shape, coef []int
	data        []float64
}

func newFlat(shape []int) *flat {
	n, _ := nd.Product(shape...)
	return &flat{shape: shape, coef: nd.RowMajor.Strides(shape), data: make([]float64, n)}
}

func (f *flat) offset(index []int) int {
	q := 0
	for d, i := range index {
		q += i * f.coef[d]
	}
	return q
}

// at checks bounds, as the extendible array does.
func (f *flat) at(index ...int) float64 {
	for d, i := range index {
		if uint(i) >= uint(f.shape[d]) {
			return math.NaN()
		}
	}
	return f.data[f.offset(index)]
}

// extend moves every row to its new position.
func (f *flat) extend(dim, by int) {
	wider := slices.Clone(f.shape)
	wider[dim] += by
	g := newFlat(wider)
	k := len(wider)
	hi := slices.Clone(f.shape)
	row := hi[k-1]
	hi[k-1] = 1
	zeros := make([]int, k)
	for index, more := make([]int, k), true; more; more = nd.Next(index, zeros, hi) {
		at := f.offset(index)
		copy(g.data[g.offset(index):], f.data[at:at+row])
	}
	*f = *g
}

// turns times the functions alternately and returns the medians of their times per operation, in
// ns: a disturbance affects all of them.
func turns(b *testing.B, ops int, fs ...func()) []float64 {
	times := make([][]float64, len(fs))
	for b.Loop() {
		for i, f := range fs {
			begun := time.Now()
			f()
			times[i] = append(times[i], float64(time.Since(begun))/float64(ops))
		}
	}
	medians := make([]float64, len(fs))
	for i, t := range times {
		slices.Sort(t)
		medians[i] = t[len(t)/2]
	}
	return medians
}

func report(b *testing.B, ns []float64, names ...string) {
	b.ReportMetric(0, "ns/op")
	for i, name := range names {
		b.ReportMetric(ns[i], name+"-ns")
		if i > 0 {
			b.ReportMetric(ns[i]/ns[0], name+"/"+names[0])
		}
	}
}

var sink float64

// grown returns an array that was extended to a shape in the given number of steps, one dimension
// after the other, from half the extents.
func grown(b *testing.B, shape, chunk []int, steps int) *memory.Array[float64] {
	k := len(shape)
	rounds := steps / k
	begin := slices.Clone(shape)
	if rounds > 0 {
		for d, n := range shape {
			begin[d] = (n + 1) / 2
		}
	}
	a, err := memory.New(memory.Spec[float64]{Shape: begin, ChunkShape: chunk})
	if err != nil {
		b.Fatal(err)
	}
	for round := range rounds {
		for d, n := range shape {
			by := begin[d] + (n-begin[d])*(round+1)/rounds - a.Shape()[d]
			if by == 0 {
				continue
			}
			if _, err := a.Extend(d, by); err != nil {
				b.Fatal(err)
			}
		}
	}
	return a
}

// BenchmarkAccess compares single elements at random indices with the plain dope vector,
// bounds checked in both: one by one, and gathered. The plain array comes first.
//
//	go test -run '^$' -bench Access ./memory
func BenchmarkAccess(b *testing.B) {
	for _, size := range []int{1 << 12, 1 << 24} {
		for k := 2; k <= 7; k++ {
			edge := int(math.Round(math.Pow(float64(size), 1/float64(k))))
			shape := slices.Repeat([]int{edge}, k)
			for _, c := range []struct {
				name  string
				chunk []int
				steps int
			}{{"static", nil, 0}, {"grown", nil, 64}, {"chunk4", slices.Repeat([]int{4}, k), 64}, {"chunk3", slices.Repeat([]int{3}, k), 64}} {
				b.Run(fmt.Sprintf("n=%d/k=%d/%s", size, k, c.name), func(b *testing.B) {
					benchAccess(b, grown(b, shape, c.chunk, c.steps), shape)
				})
			}
		}
	}
}

func benchAccess(b *testing.B, a *memory.Array[float64], shape []int) {
	const n = 1 << 14
	k := len(shape)
	plain := newFlat(shape)
	rng := rand.New(rand.NewPCG(1, 1))
	indices := make([]int, n*k)
	for i := range indices {
		indices[i] = rng.IntN(shape[i%k])
	}
	for i := range plain.data { // pages that exist
		plain.data[i] = 1
	}
	if err := a.Fill(nil, 1); err != nil {
		b.Fatal(err)
	}
	out := make([]float64, n)
	ns := turns(b, n, func() {
		for i := 0; i < len(indices); i += k {
			sink += plain.at(indices[i : i+k]...)
		}
	}, func() {
		for i := 0; i < len(indices); i += k {
			v, _ := a.At(indices[i : i+k]...)
			sink += v
		}
	}, func() {
		_ = a.Gather(indices, out)
		for _, v := range out {
			sink += v
		}
	})
	report(b, ns, "plain", "at", "gather")
}

// BenchmarkScan compares reading a whole grown array with copying a plain one: in index order into
// a buffer, and without a copy.
func BenchmarkScan(b *testing.B) {
	shape := []int{2048, 2048}
	for name, chunk := range map[string][]int{"elements": nil, "chunk64": {64, 64}} {
		b.Run(name, func(b *testing.B) {
			a, plain := grown(b, shape, chunk, 64), newFlat(shape)
			if err := a.Fill(nil, 1); err != nil {
				b.Fatal(err)
			}
			n, _ := a.Bounds().Len()
			out := make([]float64, n)
			add := func(s []float64) {
				for _, v := range s {
					sink += v
				}
			}
			ns := turns(b, n, func() { copy(out, plain.data) }, func() { _ = a.ReadInto(nil, out) },
				func() { add(plain.data) },
				func() {
					for _, block := range a.Blocks() {
						add(block)
					}
				})
			report(b, ns, "copy", "read", "sum", "sumblocks")
		})
	}
}

// BenchmarkGrow extends a matrix of 64 x 64 to 1024 x 1024 by one row and one column in turn, sets
// the new elements, and compares it with a slice of slices and a row-major slice that is moved.
// Times are per element of the final matrix. The experiment memory-growth of make bench also has
// the matrices of other libraries.
func BenchmarkGrow(b *testing.B) {
	const from, to = 64, 1024
	report(b, turns(b, to*to,
		func() { growArray(b, from, to, nil) },
		func() { growArray(b, from, to, []int{32, 32}) },
		func() { growSlices(from, to) },
		func() { growFlat(from, to) },
	), "array", "chunk32", "slices", "rowmajor")
}

func growArray(b *testing.B, from, to int, chunk []int) {
	a, err := memory.New(memory.Spec[float64]{Shape: []int{from, from}, ChunkShape: chunk})
	if err != nil {
		b.Fatal(err)
	}
	for n := from; n < to; n++ {
		for d := range 2 {
			sec, err := a.Extend(d, 1)
			if err == nil {
				err = a.Fill(sec, 1)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func growSlices(from, to int) {
	rows := make([][]float64, from)
	for i := range rows {
		rows[i] = make([]float64, from)
	}
	for n := from; n < to; n++ {
		row := make([]float64, n)
		for j := range row {
			row[j] = 1
		}
		rows = append(rows, row)
		for i := range rows {
			rows[i] = append(rows[i], 1)
		}
	}
	sink += rows[to-1][to-1]
}

func growFlat(from, to int) {
	f := newFlat([]int{from, from})
	for n := from; n < to; n++ {
		f.extend(0, 1)
		for j := range n {
			f.data[n*n+j] = 1
		}
		f.extend(1, 1)
		for i := range n + 1 {
			f.data[i*(n+1)+n] = 1
		}
	}
	sink += f.data[len(f.data)-1]
}

// BenchmarkExtend measures the cost of one extension apart from the memory: a thousand extensions
// of an array with one element per slab, in turn on four sides or always on one.
func BenchmarkExtend(b *testing.B) {
	for name, turns := range map[string]int{"continued": 1, "turns": 4} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				a, err := memory.New(memory.Spec[float64]{Shape: []int{1, 1}})
				if err != nil {
					b.Fatal(err)
				}
				for i := range 1000 {
					if _, err := growtest.Extend(a, i%turns%2, 1, axial.Side(i%turns/2)); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
