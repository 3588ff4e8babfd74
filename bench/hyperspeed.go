package main

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"drx"
	"drx/dtype"
	"drx/hyper/endmember/search"
	"drx/hyper/scene"
	"drx/hyper/stats"
	"drx/nd"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// hyperSpeed compares the parts of drx hyper that take most of the time with products of matrices,
// and the statistics of a scene that exceeds the memory with plain reading of its file.
var hyperSpeed = experiment{
	name:  "hyper",
	title: "Hyperspectral analysis",
	plots: []plot{
		{metric: "products", title: "Sums of products of 224 bands", x: "what is computed", y: "time (ms)", bars: true},
		{metric: "statistics", title: "Statistics of a scene out of core", x: "the scene", y: "time (ms)", bars: true},
		{metric: "peak of statistics", x: "the scene", y: "VmHWM (MiB)", bars: true},
	},
	run: runHyperSpeed,
}

// hyperBands is the number of bands of an AVIRIS scene.
const hyperBands = 224

const (
	covarianceColumn = "covariance"
	skewersColumn    = "skewers of ppi"
	outOfCoreColumn  = "224 bands of uint16"
	readingSeries    = "reading the file"
	numpySeries      = "dgemm of NumPy" // the system's library
)

func init() {
	targets = append(
		targets,
		target{work: "covariance of 224 bands", experiment: "hyper", metric: "products", column: covarianceColumn, reference: "dgemm", least: 0.7},
		target{work: "covariance of 224 bands", experiment: "hyper", metric: "products", column: covarianceColumn, reference: numpySeries, least: 0.7},
		target{work: "PPI, 10^4 skewers", experiment: "hyper", metric: "products", column: skewersColumn, reference: "dgemm", least: 0.9},
		target{work: "PPI, 10^4 skewers", experiment: "hyper", metric: "products", column: skewersColumn, reference: numpySeries, least: 0.9},
		target{work: "statistics of 2 GiB out of core, within 64 MiB", experiment: "hyper", metric: "statistics", column: outOfCoreColumn, reference: readingSeries, least: 0.8},
		target{work: "memory, statistics of 2 GiB out of core", experiment: "hyper", metric: "peak of statistics", column: outOfCoreColumn, reference: "budget + 64 MiB", least: 1},
	)
}

func runHyperSpeed(l *lab, t *table) error {
	if err := raceProducts(l, t); err != nil {
		return err
	}
	return raceStatistics(l, t)
}

// raceProducts compares covariances and skewers with products of matrices of the same shape: by the
// dgemm of this program and, if NumPy is installed, by the system's library that NumPy calls.
func raceProducts(l *lab, t *table) error {
	lines := pick(l, 256, 64)
	b := scene.Block{Hi: scene.Pixel{Line: lines, Sample: 256}}
	random := rand.New(rand.NewPCG(1, 1))
	data := make([]float64, b.Pixels()*hyperBands)
	for i := range data {
		data[i] = random.NormFloat64()
	}
	src, err := scene.InMemory(b, hyperBands, data)
	if err != nil {
		return err
	}
	cube, err := scene.New(src, scene.Options{})
	if err != nil {
		return err
	}
	skewers := make([]float64, pick(l, 10_000, 500)*hyperBands)
	for i := range skewers {
		skewers[i] = random.NormFloat64()
	}
	matrix := func(rows int, values []float64) blas64.General {
		return blas64.General{Rows: rows, Cols: hyperBands, Stride: hyperBands, Data: values}
	}
	x, f := matrix(b.Pixels(), data), matrix(len(skewers)/hyperBands, skewers)
	for _, work := range []struct {
		column string
		drx    func() error
		dgemm  func()
		shape  [3]int // shape of the product: rows, columns, terms of each sum
	}{
		{covarianceColumn, func() error {
			_, err := stats.Sum(context.Background(), cube, stats.Spectra, b, b)
			return err
		}, func() {
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, x, x, 0, matrix(hyperBands, make([]float64, hyperBands*hyperBands)))
		}, [3]int{hyperBands, hyperBands, b.Pixels()}},
		{skewersColumn, func() error {
			_, err := search.Ranges(context.Background(), cube, b, skewers)
			return err
		}, func() { gemmByTiles(x, f) }, [3]int{b.Pixels(), f.Rows, hyperBands}},
	} {
		es := []entrant{
			{series: "drx", run: func(uint64) (result, error) { return timeOf(work.drx) }},
			{series: "dgemm", limit: true, run: func(uint64) (result, error) { return timeOf(func() error { work.dgemm(); return nil }) }},
		}
		if program := l.numpyProduct(work.shape); program != nil {
			es = append(es, entrant{series: numpySeries, limit: true, run: func(uint64) (result, error) { return runProgram(program) }})
		}
		if _, err := l.race(t, cell{metric: "products", column: work.column, unit: milliseconds}, es...); err != nil {
			return err
		}
	}
	return nil
}

// gemmByTiles multiplies the pixels with the skewers, in tiles of pixels, to bound the memory of
// the products.
func gemmByTiles(x, skewers blas64.General) {
	const tile = 1024
	out := blas64.General{Rows: tile, Cols: skewers.Rows, Stride: skewers.Rows, Data: make([]float64, tile*skewers.Rows)}
	for first := 0; first < x.Rows; first += tile {
		rows := min(tile, x.Rows-first)
		part := blas64.General{Rows: rows, Cols: x.Cols, Stride: x.Stride, Data: x.Data[first*x.Stride:]}
		out.Rows = rows
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, part, skewers, 0, out)
	}
}

// timeOf returns the time of a call.
func timeOf(f func() error) (result, error) {
	var k clock
	k.begin()
	err := f()
	k.end(1)
	return result{wall: k.wall, cpu: k.cpu}, err
}

// numpyProduct returns the command for a product of matrices by NumPy with as many threads as this
// program has, or nil if NumPy is not installed.
func (l *lab) numpyProduct(shape [3]int) []string {
	python, err := exec.LookPath("/usr/bin/python3")
	if err != nil || exec.Command(python, "-c", "import numpy").Run() != nil {
		l.printf("  left out: dgemm of NumPy: no NumPy for /usr/bin/python3\n")
		return nil
	}
	argv := []string{python, filepath.Join(l.peers.dir, "dgemm.py"), strconv.Itoa(runtime.GOMAXPROCS(0))}
	for _, n := range shape {
		argv = append(argv, strconv.Itoa(n))
	}
	return argv
}

// raceStatistics compares the mean and the covariance of a scene on disk with reading its file,
// both with a cold page cache.
func raceStatistics(l *lab, t *table) error {
	program, err := findProgram("drx")
	if err != nil {
		l.printf("  left out: %v\n", err)
		return nil
	}
	name := filepath.Join(l.dir, "scene")
	file, err := makeScene(name, pick(l, 4681, 256), 1024)
	if err != nil {
		return err
	}
	var seen []float64
	run := func(uint64) (result, error) {
		if err := evict(name); err != nil {
			return result{}, err
		}
		r, peak, err := watched(exec.Command(program, "hyper", "pct", name, "--memory", "64MiB", "--quiet"))
		seen = append(seen, peak)
		return r, err
	}
	read := func(uint64) (result, error) {
		if err := evict(name); err != nil {
			return result{}, err
		}
		return timeOf(func() error { return readThrough(file, make([]byte, 1<<20)) })
	}
	_, err = l.race(
		t, cell{metric: "statistics", column: outOfCoreColumn, unit: milliseconds},
		entrant{series: "drx", run: run}, entrant{series: readingSeries, limit: true, run: read},
	)
	if err != nil {
		return err
	}
	low, high := span(seen)
	t.add(row{metric: "peak of statistics", series: "drx", column: outOfCoreColumn, value: median(seen), low: low, high: high, unit: "MiB", reps: len(seen)})
	t.add(row{metric: "peak of statistics", series: "budget + 64 MiB", limit: true, column: outOfCoreColumn, value: 128, unit: "MiB", reps: 1})
	return drx.Remove(name)
}

// watched runs a program and returns its time and the peak of its memory in MiB.
func watched(cmd *exec.Cmd) (r result, peak float64, err error) {
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return r, 0, err
	}
	end, seen := make(chan struct{}), make(chan usage)
	go func() {
		own, _ := observe(cmd.Process.Pid, end)
		seen <- own
	}()
	err = cmd.Wait()
	r.wall = time.Since(begun)
	close(end)
	own := <-seen
	if err == nil {
		r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return r, float64(own.peak) / (1 << 20), err
}

// makeScene makes an array of lines of 1024 samples of 224 bands, of uint16, and returns the file
// of its elements.
func makeScene(name string, lines, samples int) (file string, err error) {
	a, err := drx.Create(name, drx.Spec{
		Shape: []int{lines, samples, hyperBands}, ChunkShape: []int{16, 64, hyperBands}, DType: dtype.Uint16, Dims: []string{"line", "sample", "band"},
	})
	if err != nil {
		return "", err
	}
	random := rand.New(rand.NewPCG(2, 2))
	buf := make([]uint16, 16*samples*hyperBands)
	for i := range buf {
		buf[i] = uint16(random.Uint32() >> 19)
	}
	for first := 0; first < lines && err == nil; first += 16 {
		n := min(16, lines-first)
		err = drx.Write(a, nd.Sec(nd.Span(first, first+n), nd.All, nd.All), buf[:n*samples*hyperBands])
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return "", err
	}
	largest := int64(0)
	err = walkStore(name, func(path string, info fs.FileInfo) error {
		if info.Size() > largest {
			file, largest = path, info.Size()
		}
		return nil
	})
	return file, err
}
