package gemm

// pack packs depth columns, from column p0 on, of the given number of rows, from row i0 on, into
// panels of w rows. A panel stores the w elements of each column together, column after column. It
// has zeros for rows beyond the last one.
func (kn *kernel) pack(dst []float64, a Matrix, i0, rows, p0, depth int) {
	w := kn.width
	for i := 0; i < rows; i += w {
		panel := dst[i*depth:][:w*depth]
		n := min(w, rows-i)
		if n < w {
			clear(panel)
		}
		switch {
		case a.Transposed && n == w:
			packContiguous(panel, a.Data[p0*a.Stride+i0+i:], a.Stride, w, depth)
		case a.Transposed:
			for p := range depth {
				copy(panel[p*w:], a.Data[(p0+p)*a.Stride+i0+i:][:n])
			}
		case n == w:
			packTransposed(panel, a.Data[(i0+i)*a.Stride+p0:], a.Stride, w, depth)
		default:
			for r := range n {
				packRow(panel[r:], a.Data[(i0+i+r)*a.Stride+p0:][:depth], w)
			}
		}
	}
}

// packContiguous packs a panel whose w rows are next to each other in memory.
func packContiguous(panel, src []float64, stride, w, depth int) {
	if w == 8 {
		for p := range depth {
			*(*[8]float64)(panel[p*8:]) = [8]float64(src[p*stride:])
		}
		return
	}
	for p := range depth {
		*(*[4]float64)(panel[p*4:]) = [4]float64(src[p*stride:])
	}
}

// packTransposed packs a panel whose w rows are stride elements apart.
func packTransposed(panel, src []float64, stride, w, depth int) {
	r0, r1, r2, r3 := src[:depth], src[stride:][:depth], src[2*stride:][:depth], src[3*stride:][:depth]
	if w == 4 {
		for p := range depth {
			*(*[4]float64)(panel[p*4:]) = [4]float64{r0[p], r1[p], r2[p], r3[p]}
		}
		return
	}
	r4, r5, r6, r7 := src[4*stride:][:depth], src[5*stride:][:depth], src[6*stride:][:depth], src[7*stride:][:depth]
	for p := range depth {
		to := (*[8]float64)(panel[p*8:])
		to[0], to[1], to[2], to[3] = r0[p], r1[p], r2[p], r3[p]
		to[4], to[5], to[6], to[7] = r4[p], r5[p], r6[p], r7[p]
	}
}

// packRow packs one row into a panel of w rows.
func packRow(panel, row []float64, w int) {
	for p, v := range row {
		panel[p*w] = v
	}
}
