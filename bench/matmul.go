package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// parallelMatmul is the thesis' experiment with matrices that grow. Here only B does, by columns, a random number of them four times between
// sessions of the programs, the same for all; each time C gets their products with A. DRX-MP is apps/matmul; the peers read the files
// into memory and call ScaLAPACK's pdgemm. All multiply new columns only; a peer that cannot extend its files rewrites B and C.
// Only DRX-MP makes C durable. Products in memory are the limits: what dgemm does with all processors and no files.
var parallelMatmul = experiment{
	name:   "mp-matmul",
	title:  "C = A B, out of core, and with extensions of B in between",
	figure: "8.5.4",
	plots: []plot{
		{metric: "product", title: "C = A B by 4 processes", x: "rows and columns", y: "time (ms)", logY: true},
		{metric: "growing", title: "C = A B by 4 processes, with four extensions of B", x: "rows and columns at first", y: "time (ms)", logY: true},
	},
	run: runParallelMatmul,
}

// The products in memory: by the kernel of apps/matmul, and by the library of the system that NumPy calls, which is OpenBLAS if that is installed.
const ownProduct, libraryProduct = "dgemm in memory", "dgemm in memory, NumPy"

// matmulShare is the share of the speed of a product in memory that one out of core should have. The sizes with a target are those whose matrices
// are four times the memory: below, the memory is leastMatmulMemory.
const matmulShare, leastMatmulMemory = 0.7, 16 << 20

// matmulProcs and matmulChunk are the processes and the edge of a chunk. All blocks must consist of whole chunks.
const (
	matmulProcs = 4
	matmulChunk = 64
)

// matmulSizes are the rows and columns of A, and of B at first.
var matmulSizes = []int{1024, 2048, 3072, 4096, 6144}

// matmulMemory returns the memory of apps/matmul, in bytes, all processes together: a quarter of the matrices if they are not small.
func matmulMemory(n int) int { return max(leastMatmulMemory, 3*8*n*n/4) }

// matmulTargets returns the targets of the product: beside both in memory, where the memory is a quarter of the matrices.
func matmulTargets() (all []target) {
	for _, n := range matmulSizes {
		for _, reference := range []string{ownProduct, libraryProduct} {
			if matmulMemory(n) > leastMatmulMemory {
				all = append(all, target{
					work: fmt.Sprintf("C = A B, %d x %d, memory for a quarter", n, n), experiment: parallelMatmul.name, metric: "product", place: strconv.Itoa(n),
					series: mulDRX.series, reference: reference, least: matmulShare,
				})
			}
		}
	}
	return all
}

func runParallelMatmul(l *lab, t *table) error {
	for _, n := range pick(l, matmulSizes, []int{512}) {
		for _, metric := range []string{"product", "growing"} {
			es := entrants(l.present(mulHDF5, mulRaw, mulDRA), func(c competitor) entrant {
				return entrant{series: c.series, run: func(seed uint64) (result, error) {
					return l.matmulPeer(c, n, extensions(metric, seed))
				}}
			})
			own := entrant{series: mulDRX.series, run: func(seed uint64) (result, error) { return l.matmul(n, extensions(metric, seed)) }}
			if l.peers.has(mulDRX) {
				es = append(es, own)
			}
			if metric == "product" {
				es = append(es, l.productsInMemory(n)...)
			}
			if _, err := l.race(t, cell{metric: metric, x: float64(n), unit: milliseconds}, es...); err != nil {
				return err
			}
		}
	}
	return nil
}

// productsInMemory returns the limits.
func (l *lab) productsInMemory(n int) []entrant {
	es := []entrant{{series: ownProduct, limit: true, run: func(uint64) (result, error) { return productInMemory(n) }}}
	if program := l.numpyProduct([3]int{n, n, n}); program != nil {
		es = append(es, entrant{series: libraryProduct, limit: true, run: func(uint64) (result, error) {
			r, err := runProgram(program)
			r.check = "" // of random matrices, not of these
			return r, err
		}})
	}
	return es
}

// productInMemory multiplies by the kernel of apps/matmul, on all processors: blas64 uses it here, because package hyper installs it.
func productInMemory(n int) (result, error) {
	var m [3]blas64.General
	for i := range m {
		m[i] = blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
		fillBox(box{[]int{0, 0}, []int{n, n}}, m[i].Data) // the pages of C, too
	}
	return timeOf(func() error {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, m[0], m[1], 0, m[2])
		return nil
	})
}

// extensions returns by how many columns B grows in a repetition, at random: by one to four chunks for each process of a row of the grid, as
// all blocks of the peers must consist of whole chunks.
func extensions(metric string, seed uint64) (by []int) {
	if metric != "growing" {
		return nil
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 4 {
		by = append(by, 2*matmulChunk*(1+rng.IntN(4)))
	}
	return by
}

func (l *lab) matmulPeer(c competitor, n int, by []int) (result, error) {
	path := l.path(c, "mul")
	request := append([]string{"matmul", "path=" + path, "grid=" + blocks(matmulProcs)}, shapeArgs([]int{n, n}, uniform(2, matmulChunk))...)
	if by != nil {
		request = append(request, "by="+strings.Trim(strings.Join(strings.Fields(fmt.Sprint(by)), ","), "[]"))
	}
	rs, err := l.peers.session(c, matmulProcs, request)
	if err = errors.Join(err, removeStore(path)); err != nil {
		return result{}, err
	}
	return rs[0], nil
}

// matmul runs sessions of apps/matmul, and between them extends B as an outside program. The time of a session is what the program
// reports, without the start of MPI, as that of the peers; the time of an extension is that from opening B to closing it.
func (l *lab) matmul(n int, by []int) (result, error) {
	program, err := l.peers.command(mulDRX.program)
	if err != nil {
		return result{}, err
	}
	dir := filepath.Join(l.dir, "matmul")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"A", "B"} {
		spec := drx.Spec{DType: dtype.Float64, Shape: []int{n, 0}, ChunkShape: uniform(2, matmulChunk)}
		a, err := drx.Create(filepath.Join(dir, name), spec)
		if err == nil {
			err = a.Close()
		}
		if err == nil {
			_, err = addColumns(filepath.Join(dir, name), n, n)
		}
		if err != nil {
			return result{}, err
		}
	}
	r := result{ops: 1}
	for i := range len(by) + 1 {
		if i > 0 {
			took, err := addColumns(filepath.Join(dir, "B"), n, by[i-1])
			if err != nil {
				return result{}, err
			}
			r.wall += took
		}
		took, err := matmulSession(program, dir, matmulMemory(n))
		if err != nil {
			return result{}, err
		}
		r.wall += took
	}
	r.check, err = sumOf(filepath.Join(dir, "C"))
	return r, err
}

// addColumns adds columns to a matrix and returns how long that took, without making the values.
func addColumns(name string, rows, by int) (time.Duration, error) {
	began := time.Now()
	a, err := drx.Open(name, drx.Options{Write: true, Durability: drx.DurabilityNone})
	if err != nil {
		return 0, err
	}
	added, err := a.Extend(1, by)
	if err != nil {
		return 0, errors.Join(err, a.Discard())
	}
	took := time.Since(began)
	data := make([]float64, rows*by)
	fillBox(box{[]int{0, added[1].Lo}, []int{rows, by}}, data)
	began = time.Now()
	err = errors.Join(drx.Write(a, added, data), a.Close())
	return took + time.Since(began), err
}

// matmulSession runs the program and returns the time that it reports.
func matmulSession(program []string, dir string, memory int) (time.Duration, error) {
	args := append([]string{"-n", strconv.Itoa(matmulProcs), "--bind-to", "none"}, program...)
	args = append(args, "-memory", strconv.Itoa(memory), "-chunk", strconv.Itoa(matmulChunk), "-threads", strconv.Itoa(threadsPerProc()),
		"-commit", "1h", "A", "B", "C")
	cmd := exec.Command(mpirun, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), mpiEnvironment...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("matmul: %w: %s", err, out)
	}
	_, text, _ := bytes.Cut(out, []byte("products in "))
	var seconds float64
	if _, err := fmt.Sscanf(string(text), "%f s", &seconds); err != nil {
		return 0, fmt.Errorf("matmul: no time in %q", out)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// threadsPerProc divides the processors among the processes, of the peers too.
func threadsPerProc() int { return max(1, runtime.NumCPU()/matmulProcs) }

// sumOf returns the sum of the elements of C, which are integers, modulo 2^64.
func sumOf(name string) (string, error) {
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		return "", err
	}
	data, err := drx.Read[float64](a, nd.Section(nil))
	var sum uint64
	for _, v := range data {
		sum += uint64(v)
	}
	return strconv.FormatUint(sum, 10), errors.Join(err, a.Close())
}

// buildMatmul builds apps/matmul with MPI.
func (ps *peers) buildMatmul() ([]string, error) {
	binary, err := filepath.Abs(filepath.Join(ps.dir, "job-matmul"))
	if err != nil {
		return nil, err
	}
	return []string{binary}, goBuild("-tags", "mpi", "-o", binary, "drx/apps/matmul")
}
