package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// parallelMatmul is the thesis' experiment with growing matrices: A grows by rows, B by columns, or
// both by inner indices, at random but in the same way for all competitors. Each time C gets the
// products that it lacks. DRX-MP is apps/matmul; the peers read the files into memory and call
// ScaLAPACK's pdgemm. All multiply only the new part. A peer that cannot extend its files rewrites
// those that grow. The matrices are extended between sessions of the programs and, for DRX-MP, also
// while a session computes, as in the thesis. Only DRX-MP makes C durable. Products in memory are
// the limits: dgemm on all processors, without files.
var parallelMatmul = experiment{
	name:   "mp-matmul",
	title:  "C = A B, out of core, and with extensions of A and B",
	figure: "8.5.4",
	plots: []plot{
		{metric: "product", title: "C = A B by 4 processes", x: "rows and columns", y: "time (ms)", logY: true},
		{metric: "growing", title: "C = A B by 4 processes, with 4 extensions of A, B or both", x: "rows and columns at first", y: "time (ms)", logY: true},
	},
	run: runParallelMatmul,
}

// The products in memory: by the kernel of apps/matmul, and by the system's library that NumPy
// calls, which is OpenBLAS if it is installed.
const ownProduct, libraryProduct = "dgemm in memory", "dgemm in memory, NumPy"

// matmulShare is the share of the speed of a product in memory that a product out of core should
// reach. Only sizes whose matrices take four times the memory have a target; for smaller ones the
// memory is leastMatmulMemory.
const matmulShare, leastMatmulMemory = 0.7, 16 << 20

// matmulChunk is the edge of a chunk, and matmulSteps the number of extensions.
const (
	matmulChunk = 64
	matmulSteps = 4
)

// matmulSizes are the rows and columns of A, and of B, at first.
var matmulSizes = []int{1024, 2048, 3072, 4096, 6144}

// matmulMemory returns the memory of apps/matmul, in bytes, for all processes together: a quarter
// of the matrices unless they are small.
func matmulMemory(n int) int { return max(leastMatmulMemory, 3*8*n*n/4) }

// matmulTargets returns the targets of the product: compared with both products in memory, for the
// sizes whose memory is a quarter of the matrices.
func matmulTargets() (all []target) {
	for _, n := range matmulSizes {
		for _, reference := range []string{ownProduct, libraryProduct} {
			if matmulMemory(n) > leastMatmulMemory {
				all = append(all, target{
					work: fmt.Sprintf("C = A B, %d x %d, memory for a quarter", n, n), experiment: parallelMatmul.name, metric: "product", column: strconv.Itoa(n),
					series: mulDRX.series, reference: reference, least: matmulShare,
				})
			}
		}
	}
	return all
}

func runParallelMatmul(l *lab, t *table) error {
	for _, n := range pick(l, matmulSizes, []int{512}) {
		product := append(l.multipliers(n, func(uint64) []extension { return nil }), l.productsInMemory(n)...)
		if _, err := l.race(t, cell{metric: "product", x: float64(n), unit: milliseconds}, product...); err != nil {
			return err
		}
		growing := l.multipliers(n, matmulExtensions)
		if l.peers.has(mulDRX) {
			growing = append(growing, entrant{series: mulDRX.series + ", during a session", run: func(seed uint64) (result, error) {
				return l.matmul(n, matmulExtensions(seed), true)
			}})
		}
		if _, err := l.race(t, cell{metric: "growing", x: float64(n), unit: milliseconds}, growing...); err != nil {
			return err
		}
	}
	return nil
}

// multipliers returns the programs that multiply matrices of n x n, with extensions between
// sessions.
func (l *lab) multipliers(n int, extensions func(seed uint64) []extension) []entrant {
	es := entrants(l.present(mulHDF5, mulRaw, mulDRA), func(c competitor) entrant {
		return entrant{series: c.series, run: func(seed uint64) (result, error) { return l.matmulPeer(c, n, extensions(seed)) }}
	})
	if l.peers.has(mulDRX) {
		es = append(es, entrant{series: mulDRX.series, run: func(seed uint64) (result, error) {
			return l.matmul(n, extensions(seed), false)
		}})
	}
	return es
}

// productsInMemory returns the limits.
func (l *lab) productsInMemory(n int) []entrant {
	es := []entrant{{series: ownProduct, limit: true, run: func(uint64) (result, error) { return productInMemory(n) }}}
	if program := l.numpyProduct([3]int{n, n, n}); program != nil {
		es = append(es, entrant{series: libraryProduct, limit: true, run: func(uint64) (result, error) {
			r, err := runProgram(program)
			r.check = "" // of random matrices
			return r, err
		}})
	}
	return es
}

// productInMemory multiplies by the kernel of apps/matmul on all processors. blas64 uses that
// kernel because package hyper installs it.
func productInMemory(n int) (result, error) {
	var m [3]blas64.General
	for i := range m {
		m[i] = blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
		fillBox(box{[]int{0, 0}, []int{n, n}}, m[i].Data) // also touches the pages of C
	}
	return timeOf(func() error {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, m[0], m[1], 0, m[2])
		return nil
	})
}

// The dimensions of a product. An inner index is a column of A and a row of B.
const rowsOfA, columnsOfB, innerIndices = 0, 1, 2

// matmulExtensions returns the extensions of a repetition, by 2 to 100 indices each. The thesis has
// 1 to 100 (section 8.5.1), but the two processes of a row or column of the grid must have at least
// one index each.
func matmulExtensions(seed uint64) []extension { return randomExtensions(seed, matmulSteps, 3, 2) }

func (l *lab) matmulPeer(c competitor, n int, es []extension) (result, error) {
	path := l.path(c, "mul")
	request := append([]string{"matmul", "path=" + path, "grid=" + blocks(matmulProcs)}, shapeArgs(uniform(2, n), uniform(2, matmulChunk))...)
	if es != nil {
		request = append(request, "steps="+steps(es))
	}
	rs, err := l.peers.session(c, matmulProcs, request)
	if err = errors.Join(err, removeStore(path)); err != nil {
		return result{}, err
	}
	return rs[0], nil
}

// matmul runs sessions of apps/matmul, and extends A and B as an outside program does: between the
// sessions, or while the first one computes. The program reports the time of a session without the
// start of MPI, as the peers do. An extension between sessions is timed from opening a matrix to
// closing it.
func (l *lab) matmul(n int, es []extension, during bool) (result, error) {
	r, _, err := l.matmulSessions(n, es, during)
	return r, err
}

func (l *lab) matmulSessions(n int, es []extension, during bool) (r result, s matmulSessions, err error) {
	program, err := l.peers.command(mulDRX.program)
	if err != nil {
		return r, s, err
	}
	s = matmulSessions{program: program, dir: filepath.Join(l.dir, "matmul"), memory: matmulMemory(n), goal: [3]int{n, n, n}}
	if err := os.Mkdir(s.dir, 0o777); err != nil {
		return r, s, err
	}
	defer os.RemoveAll(s.dir)
	for _, name := range []string{"A", "B"} {
		if err := createMatrix(filepath.Join(s.dir, name), n); err != nil {
			return r, s, err
		}
	}
	if during {
		err = s.extendedDuring(es)
	} else {
		err = s.extendedBetween(es)
	}
	if err != nil {
		return r, s, err
	}
	check, err := sumOf(filepath.Join(s.dir, "C"))
	return result{wall: s.wall, ops: 1, check: check}, s, err
}

func createMatrix(name string, n int) error {
	a, err := drx.Create(name, drx.Spec{DType: dtype.Float64, Shape: uniform(2, n), ChunkShape: uniform(2, matmulChunk)})
	if err != nil {
		return err
	}
	data := make([]float64, n*n)
	fillBox(box{[]int{0, 0}, a.Shape()}, data)
	return errors.Join(drx.Write(a, nd.Section(nil), data), a.Close())
}

// matmulSessions are sessions of apps/matmul in a folder.
type matmulSessions struct {
	program []string
	dir     string
	memory  int
	goal    [3]int // extents of the product
	wall    time.Duration
	first   int // number of products in C after the first session
}

// extendedBetween runs a session, and one more after each extension.
func (s *matmulSessions) extendedBetween(es []extension) error {
	if err := s.session(nil); err != nil {
		return err
	}
	for _, e := range es {
		elapsed, err := s.extend(e)
		s.wall += elapsed
		if err == nil {
			err = s.session(nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// extendedDuring runs a session and makes all extensions once it has begun to multiply. The last
// extensions may come too late for that session: then another one follows.
func (s *matmulSessions) extendedDuring(es []extension) error {
	err := s.session(func() error {
		for _, e := range es {
			if _, err := s.extend(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if s.first, err = productsOf(filepath.Join(s.dir, "C")); err != nil || s.first == volume(s.goal[:]) {
		return err
	}
	return s.session(nil)
}

// extend makes an extension and returns its duration, without the time to compute the values.
func (s *matmulSessions) extend(e extension) (elapsed time.Duration, err error) {
	s.goal[e.dim] += e.by
	for _, m := range []struct {
		name string
		dims [2]int // dimensions of the product
	}{{"A", [2]int{rowsOfA, innerIndices}}, {"B", [2]int{innerIndices, columnsOfB}}} {
		for d, dim := range m.dims {
			if dim != e.dim {
				continue
			}
			t, err := extendMatrix(filepath.Join(s.dir, m.name), d, e.by)
			if elapsed += t; err != nil {
				return elapsed, err
			}
		}
	}
	return elapsed, nil
}

// extendMatrix extends a matrix and writes what is new, in one commit.
func extendMatrix(name string, dim, by int) (time.Duration, error) {
	began := time.Now()
	a, err := drx.Open(name, drx.Options{Write: true, Durability: drx.DurabilityNone})
	if err != nil {
		return 0, err
	}
	added, err := a.Extend(dim, by)
	if err != nil {
		return 0, errors.Join(err, a.Discard())
	}
	elapsed := time.Since(began)
	b := box{make([]int, 2), make([]int, 2)}
	for d := range added {
		b.lo[d], b.size[d] = added[d].Lo, added[d].Len()
	}
	data := make([]float64, volume(b.size))
	fillBox(b, data)
	began = time.Now()
	err = errors.Join(drx.Write(a, added, data), a.Close())
	return elapsed + time.Since(began), err
}

// session runs the program and adds the time that the program reports. Once it has begun to
// multiply, session calls meanwhile, unless that is nil.
func (s *matmulSessions) session(meanwhile func() error) error {
	args := append([]string{"-n", strconv.Itoa(matmulProcs), "--bind-to", "none"}, s.program...)
	args = append(args, "-memory", strconv.Itoa(s.memory), "-chunk", strconv.Itoa(matmulChunk), "-threads", strconv.Itoa(threadsPerProc()),
		"-commit", "1h", "A", "B", "C")
	cmd := exec.Command(mpirun, args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), mpiEnvironment...)
	reports, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var text, elapsed string
	var meanwhileErr error
	for lines := bufio.NewScanner(reports); lines.Scan(); {
		line := lines.Text()
		text += line + "\n"
		if _, after, found := strings.Cut(line, "products in "); found {
			elapsed = after
		}
		if meanwhile != nil && strings.HasPrefix(line, "rows ") {
			meanwhileErr = meanwhile()
			meanwhile = nil
		}
	}
	if err := errors.Join(cmd.Wait(), meanwhileErr); err != nil {
		return fmt.Errorf("matmul: %w: %s", err, text)
	}
	var seconds float64
	if _, err := fmt.Sscanf(elapsed, "%f s", &seconds); err != nil {
		return fmt.Errorf("matmul: no time in %q", text)
	}
	s.wall += time.Duration(seconds * float64(time.Second))
	return nil
}

// productsOf returns the number of products in C, from the record of apps/matmul.
func productsOf(name string) (int, error) {
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		return 0, err
	}
	var record struct{ Done [][3][2]int }
	if err := errors.Join(json.Unmarshal(a.Attrs()["matmul"], &record), a.Close()); err != nil {
		return 0, fmt.Errorf("%s: attribute matmul: %w", name, err)
	}
	products := 0
	for _, b := range record.Done {
		n := 1
		for _, span := range b {
			n *= span[1] - span[0]
		}
		products += n
	}
	return products, nil
}

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
