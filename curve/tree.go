package curve

import (
	"math/bits"

	"drx/internal/errkind"
	"drx/nd"
)

// maxTreeRank limits the tree: a node has 2^k children, and there are k*2^(k-1) kinds of nodes.
const maxTreeRank = 8

// tree is the Hilbert curve as an index tree, see HilbertTree.
type tree struct {
	nest
	nodes []node // the root first
}

// A node of the tree is a first-order curve. The thesis draws one per sub-cube; nodes with the
// same curve have the same subtrees, and one of them is kept.
type node struct {
	keys   []uint16 // by n-point: the derived key, its position on the curve
	points []uint16 // by derived key: the n-point
	next   []uint16 // by derived key: the node of the sub-cube
}

// HilbertTree returns the order of Hilbert by the tree representation of the thesis, section 5.4.1:
// the index descends a tree, one bit of each coordinate per level, and the derived keys found at
// its nodes, one after the other, are the position. The positions are those of Hilbert; the two
// differ in cost. The tree has at most k*2^(k-1) nodes of 2^k children for k dimensions of an
// extent above 1, and an element of a box that is not a cube costs O(k 2^k) per level. Errors are
// those of Row, or wrap nd.ErrRank if k is above 8.
//
// The nodes follow from two rules, which do not use the algorithm of Butz: a curve of
// first order is a Gray code from a corner of the cube to a neighbour of it, and the sub-curve of
// a child begins beside the end of the sub-curve before it (Hamilton and Rau-Chaplin, 2007).
//
// The text of the thesis has slips: the orders for extents of 2, 4 and 8 are 1, 2 and 3, the
// logarithms, not 1, 2 and 4; the loop of algorithm 7 goes on while K <= leaf, not K > leaf; and
// the pair <11, 10> of its example is <p, d> = <10, 11>.
func HilbertTree(shape []int) (Order, error) {
	t, err := newNest(shape)
	if err != nil || t.k < 2 {
		return Row(shape) // which returns the same error; on a line there is one curve
	}
	if t.k > maxTreeRank {
		return nil, errkind.Errorf(nd.ErrRank, "tree of a Hilbert curve of %d dimensions: more than %d", t.k, maxTreeRank)
	}
	return &tree{nest: t, nodes: grow(t.k)}, nil
}

// Position returns the position of a cell. It descends the tree by the bits of the index, from the
// highest to the lowest. It returns false for an index outside of the box.
func (t *tree) Position(index []int) (int, bool) {
	if !t.holds(index) {
		return -1, false
	}
	position, whole, n := 0, false, &t.nodes[0]
	for s := t.order - 1; s >= 0; s-- {
		key := n.keys[t.point(index, s)]
		if whole = whole || t.whole(index, s+1); whole {
			position += int(key) << (t.k * s)
		} else {
			for _, point := range n.points[:key] {
				position += t.size(index, s, uint(point))
			}
		}
		n = &t.nodes[n.next[key]]
	}
	return position, true
}

// Index is the inverse of Position: it stores the index of the cell at a position in index. If
// there is none, it returns false and does not change index.
func (t *tree) Index(position int, index []int) bool {
	if !t.has(position, index) {
		return false
	}
	clear(index)
	whole, n := false, &t.nodes[0]
	for s := t.order - 1; s >= 0; s-- {
		key := 0
		if whole = whole || t.whole(index, s+1); whole {
			key = position >> (t.k * s)
			position &= 1<<(t.k*s) - 1
		} else {
			for ; ; key++ {
				size := t.size(index, s, uint(n.points[key]))
				if position < size {
					break
				}
				position -= size
			}
		}
		t.enter(index, s, uint(n.points[key]))
		n = &t.nodes[n.next[key]]
	}
	return true
}

// size returns how many elements of the box are in a child, at level s, of the node around
// the index.
func (t *tree) size(index []int, s int, point uint) int {
	size := 1
	for j := t.k - 1; j >= 0 && size > 0; j-- {
		half, upper := t.halves(index, t.dims[j], s)
		if point&1 == 1 {
			half = upper
		}
		size *= half
		point >>= 1
	}
	return size
}

// A course is a first-order curve: from the corner entry to the corner on the other side
// along an axis, bit 0 the last dimension.
type course struct {
	entry uint
	axis  int
}

// grow returns the nodes of the tree for k dimensions. The root's curve goes from the first
// corner along dimension 0.
func grow(k int) []node {
	courses := []course{{axis: k - 1}}
	known := map[course]uint16{courses[0]: 0}
	var nodes []node
	for len(nodes) < len(courses) {
		c := courses[len(nodes)]
		n := node{keys: make([]uint16, 1<<k), points: make([]uint16, 1<<k), next: make([]uint16, 1<<k)}
		for key := range uint(1 << k) {
			point := c.point(key, k)
			child := c.child(key, k)
			if _, ok := known[child]; !ok {
				known[child] = uint16(len(courses))
				courses = append(courses, child)
			}
			n.points[key], n.keys[point], n.next[key] = uint16(point), uint16(key), known[child]
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// point returns the corner that a course visits at a key, its Gray code turned so that
// the last step leads along the axis.
func (c course) point(key uint, k int) uint {
	return c.entry ^ rotate(gray(key), (c.axis+1)%k, k)
}

// child returns the course through the sub-cube at a key. The sub-curves at keys 2i-1 and 2i
// have the same entry, which the Gray code of 2i-2 gives, and run along the axis of the step
// between 2i-1 and 2i, the first to the face where the second begins; the first and the last
// run along the axis of the curve turned by one.
func (c course) child(key uint, k int) course {
	entry, step := uint(0), 0
	if key > 0 {
		entry = gray((key - 1) &^ 1)
		step = bits.TrailingZeros(^((key - 1) | 1)) // the bit that changes between odd and even
	}
	return course{
		entry: c.entry ^ rotate(entry, (c.axis+1)%k, k),
		axis:  (c.axis + step + 1) % k,
	}
}
