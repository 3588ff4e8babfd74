package unmix

import "math"

// dot returns the inner product of two vectors.
func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// norm returns the length of a vector.
func norm(a []float64) float64 { return math.Sqrt(dot(a, a)) }

// axpy adds f times x to y.
func axpy(y []float64, f float64, x []float64) {
	for i, v := range x {
		y[i] += f * v
	}
}

// orthonormal returns an orthonormal basis of the span of vectors, and the number of the first
// vector that is a combination of earlier ones, or -1. It orthogonalises every vector twice, after
// which the basis is orthogonal up to rounding (Kahan's and Parlett's "twice is enough").
func orthonormal(vectors [][]float64) (basis [][]float64, bad int) {
	largest := 0.0
	for _, v := range vectors {
		largest = max(largest, norm(v))
	}
	bad = -1
	for i, v := range vectors {
		q := append([]float64(nil), v...)
		for range 2 {
			for _, b := range basis {
				axpy(q, -dot(b, q), b)
			}
		}
		n := norm(q)
		if n <= dependent*largest {
			if bad < 0 {
				bad = i
			}
			continue
		}
		for k := range q {
			q[k] /= n
		}
		basis = append(basis, q)
	}
	return basis, bad
}

// leastSquares stores in x the values that minimise |b - sum(x[j]*columns[j])|, by the modified
// method of Gram and Schmidt with b as an additional column, which is as stable as Householder's
// method (Björck 1967). It destroys columns; b becomes the difference. r is scratch memory for the
// square of the number of columns.
func leastSquares(columns [][]float64, b, r, x []float64) {
	n := len(columns)
	for j, c := range columns {
		r[j*n+j] = norm(c)
		if r[j*n+j] == 0 {
			x[j] = 0
			continue
		}
		for i := range c {
			c[i] /= r[j*n+j]
		}
		for k := j + 1; k < n; k++ {
			r[j*n+k] = dot(c, columns[k])
			axpy(columns[k], -r[j*n+k], c)
		}
		x[j] = dot(c, b)
		axpy(b, -x[j], c)
	}
	for j := n - 1; j >= 0; j-- {
		if r[j*n+j] == 0 {
			continue
		}
		for k := j + 1; k < n; k++ {
			x[j] -= r[j*n+k] * x[k]
		}
		x[j] /= r[j*n+j]
	}
}
