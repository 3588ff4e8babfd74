package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"drx"
	"drx/dtype"
	"drx/internal/gemm"
	"drx/nd"
)

// BenchmarkOutOfCore multiplies square matrices with memory for a quarter of all three. It reports
// the speed; that of the same product in memory, GF/s-memory, with as many goroutines; and the
// ratio. Both are products of the package's own kernel, or of OpenBLAS with that tag. The ratio of
// processor times, of-memory-cpu, leaves out waiting: use it on a machine that does other things,
// too.
func BenchmarkOutOfCore(b *testing.B) {
	for _, n := range []int{2048, 4096, 8192} {
		for _, procs := range []int{1, 2, 4} {
			b.Run(fmt.Sprintf("%d/procs-%d", n, procs), func(b *testing.B) { outOfCore(b, n, procs) })
		}
	}
}

func outOfCore(b *testing.B, n, procs int) {
	p := &problem{dir: b.TempDir(), a: &matrix{}, b: &matrix{}}
	flops := 2 * float64(n) * float64(n) * float64(n)
	var factors [2][]float64
	for i, m := range []*matrix{p.a, p.b} {
		m.name = fmt.Sprint(p.dir, "/", "AB"[i:i+1])
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		factors[i] = make([]float64, n*n)
		for j := range factors[i] {
			factors[i][j] = rng.NormFloat64()
		}
		a, err := drx.Create(m.name, drx.Spec{DType: dtype.Float64, Shape: []int{n, n}, ChunkShape: []int{256, 256}})
		if err == nil {
			err = drx.Write(a, nd.Section(nil), factors[i])
		}
		if err == nil {
			err = a.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	var inMemory, outOfCore usage
	for i := range b.N {
		c := make([]float64, n*n)
		began := now()
		addProduct(runtime.GOMAXPROCS(0), n, n, n, gemm.Matrix{Data: factors[0], Stride: n}, gemm.Matrix{Data: factors[1], Stride: n}, c, n)
		inMemory.addSince(began)
		p.c = fmt.Sprint(p.dir, "/C", i)
		s := p.settings(procs)
		s.memory, s.chunk, s.threads, s.every = int64(3*8*n*n/4), 128, max(1, runtime.GOMAXPROCS(0)/procs), 10*time.Second
		began = now()
		if _, err := runSession(procs, s); err != nil {
			b.Fatal(err)
		}
		outOfCore.addSince(began)
	}
	b.ReportMetric(flops*float64(b.N)/outOfCore.wall.Seconds()/1e9, "GF/s")
	b.ReportMetric(flops*float64(b.N)/inMemory.wall.Seconds()/1e9, "GF/s-memory")
	b.ReportMetric(inMemory.wall.Seconds()/outOfCore.wall.Seconds(), "of-memory")
	b.ReportMetric(inMemory.cpu.Seconds()/outOfCore.cpu.Seconds(), "of-memory-cpu")
}

// usage is a time, and the processor time of this process.
type usage struct{ wall, cpu time.Duration }

var start = time.Now()

func now() usage {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r) // no error for this process
	return usage{time.Since(start), time.Duration(r.Utime.Nano() + r.Stime.Nano())}
}

func (u *usage) addSince(began usage) {
	end := now()
	u.wall += end.wall - began.wall
	u.cpu += end.cpu - began.cpu
}
