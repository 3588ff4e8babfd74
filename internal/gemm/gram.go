package gemm

// Gram stores the sums of products of the columns of x in c: the element in row i and column j of c
// is the sum over all rows r of x[r*stride+i] times x[r*stride+j]. x has rows x cols elements, c
// has cols x cols. Only the elements with i <= j are computed; the others are undefined. It panics
// if a slice is too short.
func Gram(c, x []float64, rows, cols, stride int) { best.gram(c, x, rows, cols, stride) }

func (kn *kernel) gram(c, x []float64, rows, cols, stride int) {
	clear(c[:cols*cols])
	if rows <= 0 || cols <= 0 {
		return
	}
	ws := workspaces.Get().(*workspace)
	defer workspaces.Put(ws)
	w := kn.width
	columns := Matrix{Data: x, Stride: stride, Transposed: true}
	for p := 0; p < rows; p += blockK {
		depth := min(blockK, rows-p)
		ws.a = resized(ws.a, roundUp(cols, w)*depth)
		kn.pack(ws.a, columns, 0, cols, p, depth)
		for j0 := 0; j0 < cols; j0 += blockCols { // columns of c whose panels stay in the second cache
			j1 := min(j0+blockCols, cols)
			for i := 0; i < j1; i += w {
				for j := max(i, j0); j < j1; j += maxPanels * w {
					kn.tile(ws, min(w, cols-i), min(maxPanels*w, j1-j), depth, 1, ws.a[i*depth:], ws.a[j*depth:], c[i*cols+j:], cols)
				}
			}
		}
	}
}
