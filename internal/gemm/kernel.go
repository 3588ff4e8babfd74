package gemm

import "math"

// maxPanels is the largest number of panels of B that a kernel multiplies at once.
const maxPanels = 3

// kernel multiplies panels of width rows. add[q-1] multiplies the panel a, of k columns, with q
// panels of b, which are step elements apart, and adds alpha times the product to c: width x
// q*width elements in rows that are ldc elements apart. It does not check lengths.
type kernel struct {
	name  string
	width int
	add   [maxPanels]func(k int, a, b []float64, step int, alpha float64, c []float64, ldc int)
}

var negativeZero = math.Copysign(0, -1)

// fma returns x*y+z with one rounding.
func fma(x, y, z float64) float64 { return math.FMA(x, y, z) }

// portable is the kernel in Go. On machines without a fused multiply-add instruction it is slow,
// because math.FMA computes it bit by bit.
var portable = &kernel{"go", portableWidth, [...]func(int, []float64, []float64, int, float64, []float64, int){
	func(k int, a, b []float64, step int, alpha float64, c []float64, ldc int) {
		addPanels(1, k, a, b, step, alpha, c, ldc)
	},
	func(k int, a, b []float64, step int, alpha float64, c []float64, ldc int) {
		addPanels(2, k, a, b, step, alpha, c, ldc)
	},
	func(k int, a, b []float64, step int, alpha float64, c []float64, ldc int) {
		addPanels(3, k, a, b, step, alpha, c, ldc)
	},
}}

const portableWidth = 4

// addPanels is the kernel for any number of panels.
func addPanels(panels, k int, a, b []float64, step int, alpha float64, c []float64, ldc int) {
	for q := range panels {
		panel := b[q*step:]
		for i := range portableWidth {
			var s0, s1, s2, s3 float64
			for p := range k {
				v := a[p*portableWidth+i]
				col := (*[portableWidth]float64)(panel[p*portableWidth:])
				s0 = fma(v, col[0], s0)
				s1 = fma(v, col[1], s1)
				s2 = fma(v, col[2], s2)
				s3 = fma(v, col[3], s3)
			}
			row := (*[portableWidth]float64)(c[i*ldc+q*portableWidth:])
			row[0] = fma(alpha, s0, row[0])
			row[1] = fma(alpha, s1, row[1])
			row[2] = fma(alpha, s2, row[2])
			row[3] = fma(alpha, s3, row[3])
		}
	}
}
