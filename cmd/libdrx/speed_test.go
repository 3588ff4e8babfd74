package main_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// TestSpeedRuns checks that the program of BenchmarkC works.
func TestSpeedRuns(t *testing.T) {
	t.Parallel()
	if out := compile(t, "testdata/speed.c").run(t, "1000", "64", "1"); strings.Count(out, "\n") != 5 {
		t.Errorf("speed prints\n%s", out)
	}
}

// BenchmarkC compares calls from C with the same ones from Go, in turn, and prints the best
// processor time of each. For an element the call between C and Go dominates; a section should cost
// the same in both.
func BenchmarkC(b *testing.B) {
	const elements, sections = 200_000, 640
	c, native := map[string]float64{}, map[string]float64{}
	p := compile(b, "testdata/speed.c", "-O2")
	dir := workFolder(b)
	for round := range 5 {
		p.dir = workFolder(b)
		for line := range strings.Lines(p.run(b, strconv.Itoa(elements), strconv.Itoa(sections), "3")) {
			f := strings.Fields(line)
			ns, err := strconv.ParseFloat(f[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			keepBest(c, f[0], ns)
		}
		measureGo(b, filepath.Join(dir, strconv.Itoa(round)), elements, sections, native)
	}
	b.ReportMetric(0, "ns/op")
	for _, name := range slices.Sorted(maps.Keys(c)) {
		fmt.Printf("%-8s C %9.1f ns, Go %9.1f ns: %+.1f ns, %.3f times\n", name, c[name], native[name], c[name]-native[name], c[name]/native[name])
	}
}

// cpuTime returns the processor time of this process, in nanoseconds: other load disturbs it less
// than the clock.
func cpuTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// keepBest keeps the smaller of two times.
func keepBest(best map[string]float64, name string, ns float64) {
	if old, ok := best[name]; !ok || ns < old {
		best[name] = ns
	}
}

// measureGo makes the measurements of speed.c in Go.
func measureGo(b *testing.B, name string, elements, sections int, best map[string]float64) {
	const n, s = 2048, 256
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	box, wide := make([]float64, s*s), make([]float64, 2*s*s)
	section := func(i int) nd.Section {
		x, y := i%(n/s)*s, i/(n/s)%(n/s)*s
		return nd.Section{nd.Span(x, x+s), nd.Span(y, y+s)}
	}
	a, err := drx.Create(name, drx.Spec{DType: dtype.Float64, Shape: []int{n, n}, ChunkShape: []int{s, s}})
	check(err)
	for i := range n / s * n / s {
		check(drx.Write(a, section(i), box))
	}
	check(a.Close())
	count := 0
	measure := func(what string, times int, f func(i int)) {
		for range 3 {
			begin := cpuTime()
			for range times {
				f(count)
				count++
			}
			keepBest(best, what, float64(cpuTime()-begin)/float64(times))
		}
	}
	a, err = drx.Open(name, drx.Options{})
	check(err)
	measure("get", elements, func(i int) {
		_, err := drx.At[float64](a, i*7&(n-1), i*13&(n-1))
		check(err)
	})
	measure("read", sections, func(i int) { check(drx.ReadInto(a, section(i), box)) })
	measure("strided", sections, func(i int) { check(drx.ReadStrided(a, section(i), wide, []int{2 * s, 1})) })
	check(a.Close())
	a, err = drx.Open(name, drx.Options{Write: true})
	check(err)
	measure("set", elements, func(i int) { check(drx.Set(a, float64(i), i*7&(n-1), i*13&(n-1))) })
	measure("write", sections, func(i int) { check(drx.Write(a, section(i), box)) })
	check(a.Close())
}
