package gemm

import "sync"

// The sizes of the blocks that are packed at a time. blockK determines the order of the sums, so
// changing it changes results.
const (
	blockK    = 256
	blockCols = 240  // of B: a multiple of three panels of either width
	blockRows = 1024 // of A
)

// smallWork is the number of multiplications below which goroutines cost more than they gain.
const smallWork = 1 << 20

// A Matrix is a matrix of float64 in memory, row by row. The element in row i and column j is
// Data[i*Stride+j]. If Transposed is set, it is Data[j*Stride+i].
type Matrix struct {
	Data       []float64
	Stride     int
	Transposed bool
}

// T returns the transposed matrix, which shares the data.
func (m Matrix) T() Matrix {
	m.Transposed = !m.Transposed
	return m
}

// Mul adds alpha times the product of a (m x k) and b (k x n) to c (m x n), whose rows are ldc
// elements apart. It uses at most workers goroutines, at least one. It panics if a slice is too
// short.
func Mul(workers, m, n, k int, alpha float64, a, b Matrix, c []float64, ldc int) {
	best.mul(workers, m, n, k, alpha, a, b, c, ldc)
}

func (kn *kernel) mul(workers, m, n, k int, alpha float64, a, b Matrix, c []float64, ldc int) {
	if m <= 0 || n <= 0 || k <= 0 {
		return
	}
	_ = c[(m-1)*ldc+n-1] // the kernels do not check bounds
	if workers <= 1 || m*n < smallWork/k {
		kn.mulBlocks(k, alpha, a, b, c, ldc, 0, m, 0, n)
		return
	}
	var group sync.WaitGroup
	defer group.Wait()
	if m >= n { // the longer side is divided
		each := roundUp((m+workers-1)/workers, kn.width)
		for i := 0; i < m; i += each {
			group.Go(func() { kn.mulBlocks(k, alpha, a, b, c, ldc, i, min(i+each, m), 0, n) })
		}
		return
	}
	each := roundUp((n+workers-1)/workers, kn.width)
	for j := 0; j < n; j += each {
		group.Go(func() { kn.mulBlocks(k, alpha, a, b, c, ldc, 0, m, j, min(j+each, n)) })
	}
}

// roundUp returns the smallest multiple of n that is not below i.
func roundUp(i, n int) int { return (i + n - 1) / n * n }

// workspace holds the packed blocks of one goroutine.
type workspace struct {
	a, b []float64
	edge []float64 // a tile of C
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// resized returns a slice of n elements, in the memory of s if its capacity suffices.
func resized(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// mulBlocks computes the part of c in the rows from i0 to i1 and the columns from j0 to j1.
func (kn *kernel) mulBlocks(k int, alpha float64, a, b Matrix, c []float64, ldc, i0, i1, j0, j1 int) {
	ws := workspaces.Get().(*workspace)
	defer workspaces.Put(ws)
	for p := 0; p < k; p += blockK {
		depth := min(blockK, k-p)
		for i := i0; i < i1; i += blockRows {
			rows := min(blockRows, i1-i)
			ws.a = resized(ws.a, roundUp(rows, kn.width)*depth)
			kn.pack(ws.a, a, i, rows, p, depth)
			for j := j0; j < j1; j += blockCols {
				cols := min(blockCols, j1-j)
				ws.b = resized(ws.b, roundUp(cols, kn.width)*depth)
				kn.pack(ws.b, b.T(), j, cols, p, depth)
				kn.mulPacked(ws, rows, cols, depth, alpha, c[i*ldc+j:], ldc)
			}
		}
	}
}

// mulPacked adds alpha times the product of the packed blocks to c.
func (kn *kernel) mulPacked(ws *workspace, rows, cols, depth int, alpha float64, c []float64, ldc int) {
	w := kn.width
	for i := 0; i < rows; i += w {
		a := ws.a[i*depth:]
		for j := 0; j < cols; j += maxPanels * w {
			kn.tile(ws, min(w, rows-i), min(maxPanels*w, cols-j), depth, alpha, a, ws.b[j*depth:], c[i*ldc+j:], ldc)
		}
	}
}

// tile adds alpha times the product of one panel of A and up to three panels of B to a tile of c.
func (kn *kernel) tile(ws *workspace, rows, cols, depth int, alpha float64, a, b, c []float64, ldc int) {
	w := kn.width
	panels := (cols + w - 1) / w
	add := kn.add[panels-1]
	if rows == w && cols == panels*w {
		add(depth, a, b, depth*w, alpha, c, ldc)
		return
	}
	width := panels * w
	ws.edge = resized(ws.edge, w*width)
	for i := range ws.edge {
		ws.edge[i] = negativeZero // adding to it leaves every number as it is, +0 too
	}
	add(depth, a, b, depth*w, 1, ws.edge, width)
	for i := range rows {
		row := c[i*ldc:][:cols]
		for j, v := range ws.edge[i*width:][:cols] {
			row[j] = fma(alpha, v, row[j])
		}
	}
}
