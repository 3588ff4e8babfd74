package search

import (
	"math"

	"drx/hyper/derived"
)

// A Hull is the affine hull of points, or the linear one if it has no origin: the origin plus all
// combinations of an orthonormal basis.
type Hull struct {
	Origin []float64   // nil is zero
	Basis  [][]float64 // orthonormal
	faces  []face      // of a simplex, see Simplex
}

// flat is a relative length: a vector extends a span if its distance from the span is larger than
// flat times its length.
const flat = 1e-10

// Span returns the linear hull of points. ok is false if a point lies in the span of the points
// before it, up to 1e-10 of its length.
func Span(points [][]float64) (h *Hull, ok bool) {
	h = &Hull{}
	return h, h.extend(points)
}

// Affine returns the affine hull of at least one point; the first is the origin. ok is as for Span,
// with the differences to the origin, and also false if such a difference is that small relative to
// the points.
func Affine(points [][]float64) (h *Hull, ok bool) {
	h = &Hull{Origin: points[0]}
	return h, h.extend(points[1:])
}

// extend adds the points to the hull, one by one.
func (h *Hull) extend(points [][]float64) bool {
	for _, p := range points {
		r := make([]float64, len(p))
		size := length(p) + length(h.Origin)
		h.rest(r, p, nil)
		h.Remove(r) // again, to remove the rounding errors of the first pass
		l := length(r)
		if !(l > flat*size) {
			return false
		}
		for i := range r {
			r[i] /= l
		}
		h.Basis = append(h.Basis, r)
	}
	return true
}

// rest stores the part of x that is orthogonal to the hull in r, and the coordinates of x in the
// basis in z, unless that is nil.
func (h *Hull) rest(r, x, z []float64) {
	copy(r, x)
	if h.Origin != nil {
		for i, o := range h.Origin {
			r[i] -= o
		}
	}
	if z == nil {
		h.Remove(r)
		return
	}
	for i, q := range h.Basis {
		z[i] = derived.Dot(q, r)
		subtract(r, z[i], q)
	}
}

// Remove subtracts the components of a vector along the basis from it.
func (h *Hull) Remove(r []float64) {
	for _, q := range h.Basis {
		subtract(r, derived.Dot(q, r), q)
	}
}

// subtract subtracts a times q from r.
func subtract(r []float64, a float64, q []float64) {
	for i, v := range q {
		r[i] -= float64(a * v)
	}
}

func length(x []float64) float64 { return math.Sqrt(derived.Dot(x, x)) }

// A face of a simplex is opposite to one of its vertices. The barycentric coordinate of a point for
// that vertex is 1 at the vertex and 0 on the face; it is a'z + b. |a| is the inverse of the height
// above the face.
type face struct {
	a     []float64
	b     float64
	norm2 float64 // a'a
}

// Simplex returns the affine hull of the vertices with the faces of their simplex, for the scores
// of Farthest, and the logarithm of the volume of the simplex. ok is false if the simplex is flat.
// A single vertex has no simplex.
func Simplex(vertices [][]float64) (h *Hull, logVolume float64, ok bool) {
	if len(vertices) < 2 {
		return nil, 0, false
	}
	if h, ok = Affine(vertices); !ok {
		return nil, 0, false
	}
	p := len(vertices)
	r, z := make([]float64, len(h.Origin)), make([][]float64, p)
	for j, v := range vertices {
		z[j] = make([]float64, p-1)
		h.rest(r, v, z[j])
		if j > 0 {
			logVolume += math.Log(z[j][j-1]) - math.Log(float64(j))
		}
	}
	h.faces = faces(z)
	return h, logVolume, true
}

// faces returns the faces of a simplex from the coordinates of its vertices in the basis of its
// hull. Each vertex but the first has added one axis to the basis. So the coordinates of vertex j
// after number j-1 are zero, and number j-1 is its height above the earlier vertices. Coordinate
// j-1 of a point is therefore the sum over k >= j of its barycentric coordinate for vertex k times
// z[k][j-1], which gives the barycentric coordinates one by one, from the last to the second. All
// of them sum to 1.
func faces(z [][]float64) []face {
	p := len(z)
	list := make([]face, p)
	list[0].a, list[0].b = make([]float64, p-1), 1
	for j := p - 1; j > 0; j-- {
		a := make([]float64, p-1)
		a[j-1] = 1
		for k := j + 1; k < p; k++ {
			subtract(a, z[k][j-1], list[k].a)
		}
		for i := range a {
			a[i] /= z[j][j-1]
		}
		list[j].a = a
		subtract(list[0].a, 1, a)
	}
	for j := range list {
		list[j].norm2 = derived.Dot(list[j].a, list[j].a)
	}
	return list
}

// Scores stores the scores of a spectrum in dst. Without faces there is one, the square of the
// distance from the hull. With faces there is one for each vertex: the square of the ratio by which
// the volume of the simplex changes if the spectrum replaces the vertex. It is the ratio of the
// squared distances from the hull of the other vertices, (|r|^2 + (height of x in the hull)^2) /
// height^2 = |r|^2 |a|^2 + (a'z + b)^2, with r the part of x outside of the hull of the simplex.
func (h *Hull) Scores(dst, x []float64) {
	r, z := make([]float64, len(x)), make([]float64, len(h.Basis))
	h.rest(r, x, z)
	h.scores(dst, derived.Dot(r, r), z)
}

func (h *Hull) scores(dst []float64, r2 float64, z []float64) {
	if h.faces == nil {
		dst[0] = r2
		return
	}
	for j, f := range h.faces {
		l := derived.Dot(f.a, z) + f.b
		dst[j] = float64(r2*f.norm2) + float64(l*l)
	}
}

// Count returns the number of scores.
func (h *Hull) Count() int { return max(1, len(h.faces)) }
