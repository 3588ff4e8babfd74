package lookup

import (
	"iter"
	"math"
	"slices"
	"unsafe"

	"drx/axial"
)

// tree is the common part of the LLRB tree and the O2-tree: red-black inner nodes that
// hold separators only, and doubly linked leaves that hold whole records, at most bucket
// each. The two trees differ in how they descend and restore the balance.
//
// Nodes refer to each other by number, not by pointer: all inner nodes are in one slice and
// all leaves in another, and leaf i has the records [i*bucket, i*bucket+n). Leaf 0 is always the
// leftmost, as a split adds the new leaf to its right.
type tree struct {
	bucket  int
	root    ref
	inner   []inner
	leaves  []leaf
	size    int
	keys    []int
	records []Record
}

// A ref is the number of an inner node, or the complement of that of a leaf.
type ref int32

const none ref = math.MinInt32 // above the root

// An inner node has the key of the least record to its right, and the number of that
// record: as numbers ascend with keys (invariant 1), the inverse goes down the same tree.
type inner struct {
	key    int
	number axial.Number
	child  [2]ref
	red    bool
}

type leaf struct{ n, prev, next int32 } // prev and next are -1 at the ends

// A path has the inner nodes from the root down. The height of a red-black tree of 2^31 nodes is at
// most 64.
type path [64]ref

// Floor implements Index.
func (t *tree) Floor(key int) (*Record, int) {
	if t.size == 0 {
		return nil, 0
	}
	at, n := t.root, 0
	for at >= 0 {
		node := &t.inner[at]
		at = node.child[side(node.key <= key)]
		n++
	}
	l := int(^at)
	from := l * t.bucket
	i, m := upper(t.keys[from:from+int(t.leaves[l].n)], key)
	if i == 0 {
		return nil, n + m
	}
	return &t.records[from+i-1], n + m
}

// Inverse implements Index.
func (t *tree) Inverse(q axial.Number) (*Record, int) {
	if t.size == 0 {
		return nil, 0
	}
	at, n := t.root, 0
	for at >= 0 {
		node := &t.inner[at]
		at = node.child[side(node.number <= q)]
		n++
	}
	records := t.bucketOf(int32(^at))
	i, m := upperNumber(records, q)
	if i == 0 {
		return nil, n + m
	}
	return &records[i-1], n + m
}

// side returns the number of a child: 1 for the right one, 0 for the left one.
func side(right bool) int {
	if right {
		return 1
	}
	return 0
}

// All implements Index: it follows the links of the leaves.
func (t *tree) All() iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		if t.size == 0 {
			return
		}
		for l := int32(0); l >= 0; l = t.leaves[l].next {
			records := t.bucketOf(l)
			for i := range records {
				if !yield(&records[i]) {
					return
				}
			}
		}
	}
}

// Len implements Index.
func (t *tree) Len() int { return t.size }

// Bytes implements Index.
func (t *tree) Bytes() int {
	return cap(t.inner)*int(unsafe.Sizeof(inner{})) + cap(t.leaves)*int(unsafe.Sizeof(leaf{})) +
		cap(t.keys)*wordBytes + recordBytes(t.records)
}

// bucketOf returns the records of a leaf.
func (t *tree) bucketOf(l int32) []Record {
	from := int(l) * t.bucket
	return t.records[from : from+int(t.leaves[l].n)]
}

// firstLeaf creates the first leaf with a record in it.
func (t *tree) firstLeaf(r Record) {
	t.root = ^ref(t.newLeaf(-1, -1))
	t.insertAt(0, 0, r)
}

// add inserts r into leaf l, where the search for its key has ended. It splits a full leaf and
// returns the red inner node that has replaced it below parent; otherwise it returns none.
func (t *tree) add(parent ref, l int32, r Record) (ref, error) {
	key := r.Key()
	from := int(l) * t.bucket
	n := int(t.leaves[l].n)
	at, _ := upper(t.keys[from:from+n], key)
	if at > 0 && t.keys[from+at-1] == key {
		if err := r.check(t.near(l, at-2), t.near(l, at)); err != nil {
			return none, err
		}
		t.records[from+at-1] = r
		t.renumber(key, r.Number)
		return none, nil
	}
	if err := r.check(t.near(l, at-1), t.near(l, at)); err != nil {
		return none, err
	}
	if n < t.bucket {
		t.insertAt(l, at, r)
		return none, nil
	}
	return t.split(parent, l, at, r), nil
}

// near returns the record at a position of leaf l, or nil if there is none. Position -1 is the last
// record of the leaf before, n the first of the leaf after.
func (t *tree) near(l int32, at int) *Record {
	node := &t.leaves[l]
	switch {
	case at < 0 && node.prev < 0, at >= int(node.n) && node.next < 0:
		return nil
	case at < 0:
		before := t.bucketOf(node.prev)
		return &before[len(before)-1]
	case at >= int(node.n):
		return &t.bucketOf(node.next)[0]
	}
	return &t.bucketOf(l)[at]
}

// renumber sets the number of the separator with this key, if there is one.
func (t *tree) renumber(key int, number axial.Number) {
	for at := t.root; at >= 0; {
		node := &t.inner[at]
		if node.key == key {
			node.number = number
		}
		at = node.child[side(node.key <= key)]
	}
}

// insertAt inserts r at a position of a leaf that is not full.
func (t *tree) insertAt(l int32, at int, r Record) {
	from := int(l) * t.bucket
	end := from + int(t.leaves[l].n)
	copy(t.keys[from+at+1:end+1], t.keys[from+at:end])
	copy(t.records[from+at+1:end+1], t.records[from+at:end])
	t.keys[from+at], t.records[from+at] = r.Key(), r
	t.leaves[l].n++
	t.size++
}

// split moves the upper half of the records of leaf l to a new leaf after it, inserts r at
// position at of the two, and adds a red node above both (thesis, algorithm 4). A single
// record moves if r belongs before it.
func (t *tree) split(parent ref, l int32, at int, r Record) ref {
	mid := t.bucket / 2
	if t.bucket == 1 {
		mid = at
	}
	right := t.newLeaf(l, t.leaves[l].next)
	from, to := int(l)*t.bucket, int(right)*t.bucket
	copy(t.keys[to:], t.keys[from+mid:from+t.bucket])
	copy(t.records[to:], t.records[from+mid:from+t.bucket])
	clear(t.records[from+mid : from+t.bucket])
	t.leaves[l].n, t.leaves[right].n = int32(mid), int32(t.bucket-mid)
	if at <= mid && mid < t.bucket {
		t.insertAt(l, at, r)
	} else {
		t.insertAt(right, at-mid, r)
	}
	t.inner = append(t.inner, inner{
		key: t.keys[to], number: t.records[to].Number, child: [2]ref{^ref(l), ^ref(right)}, red: true,
	})
	node := ref(len(t.inner) - 1)
	t.replace(parent, ^ref(l), node)
	return node
}

// newLeaf makes a leaf between two others.
func (t *tree) newLeaf(prev, next int32) int32 {
	l := int32(len(t.leaves))
	t.leaves = append(t.leaves, leaf{prev: prev, next: next})
	if prev >= 0 {
		t.leaves[prev].next = l
	}
	if next >= 0 {
		t.leaves[next].prev = l
	}
	n := len(t.leaves) * t.bucket
	t.keys = slices.Grow(t.keys, n-len(t.keys))[:n]
	t.records = slices.Grow(t.records, n-len(t.records))[:n]
	return l
}

// replace replaces a child of parent, or the root, by a node.
func (t *tree) replace(parent, old, node ref) {
	if parent == none {
		t.root = node
		return
	}
	t.inner[parent].child[t.sideOf(parent, old)] = node
}

func (t *tree) sideOf(parent, child ref) int { return side(t.inner[parent].child[1] == child) }

// isRed reports the colour; leaves are black.
func (t *tree) isRed(at ref) bool { return at >= 0 && t.inner[at].red }

// rotate lifts child above parent and returns it; the caller links it from above.
func (t *tree) rotate(parent, child ref) ref {
	s := t.sideOf(parent, child)
	t.inner[parent].child[s] = t.inner[child].child[1-s]
	t.inner[child].child[1-s] = parent
	return child
}

// lift resolves a conflict of two red nodes, the last two on the path, whose grandparent's
// other child is black. By one or two rotations, the middle one of the three becomes the
// black parent of the others, which are red. It returns that node.
func (t *tree) lift(way []ref) ref {
	n := len(way)
	node, parent, grand := way[n-1], way[n-2], way[n-3]
	if t.sideOf(parent, node) != t.sideOf(grand, parent) {
		t.replace(grand, parent, t.rotate(parent, node))
		parent = node
	}
	t.replace(above(way, n-3), grand, t.rotate(grand, parent))
	t.inner[grand].red, t.inner[parent].red = true, false
	return parent
}

// above returns the node before a position on the path, or none for the root.
func above(way []ref, at int) ref {
	if at == 0 {
		return none
	}
	return way[at-1]
}
