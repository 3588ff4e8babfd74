package lookup

// DefaultBucket is the bucket size of an O2-tree unless said otherwise.
const DefaultBucket = 16

// An O2 is an O2-tree (Nimako 2016, 4.2): a red-black tree of separators above doubly
// linked leaves with up to a bucket of records each. Insert balances on the way down
// (algorithm 3) and splits a full leaf in its middle (algorithm 4). For E records Floor,
// Inverse and Insert take O(log E) time; larger buckets make the tree lower.
//
// The zero O2 has buckets of DefaultBucket records.
type O2 struct{ tree }

// NewO2 returns an empty tree with buckets of the given number of records, at least 2: a leaf of
// one record cannot be split. LLRB is the tree with such leaves.
func NewO2(bucket int) *O2 { return &O2{tree{bucket: max(2, bucket)}} }

// Insert implements Index.
func (t *O2) Insert(r Record) error {
	if t.size == 0 {
		if t.bucket == 0 {
			t.bucket = DefaultBucket
		}
		t.firstLeaf(r)
		return nil
	}
	var p path
	way, key, at := p[:0], r.Key(), t.root
	for at >= 0 {
		way = t.preBalance(append(way, at))
		node := &t.inner[way[len(way)-1]]
		at = node.child[side(node.key <= key)]
	}
	node, err := t.add(above(way, len(way)), int32(^at), r)
	if err == nil && node != none {
		t.rebalance(append(way, node))
	}
	return err
}

// preBalance handles a node with two red children, the last on the path: it makes the node red and
// the children black, so that a node inserted further down has no red uncle. It returns the path to
// the node that is then in its position.
func (t *O2) preBalance(way []ref) []ref {
	node := &t.inner[way[len(way)-1]]
	if !t.isRed(node.child[0]) || !t.isRed(node.child[1]) {
		return way
	}
	node.red = true
	t.inner[node.child[0]].red, t.inner[node.child[1]].red = false, false
	return t.rebalance(way)
}

// rebalance restores invariant 2 after the last node on the path has become red. It returns the
// path to the node that is then in its position.
func (t *O2) rebalance(way []ref) []ref {
	n := len(way)
	if n >= 3 && t.isRed(way[n-2]) {
		top := t.lift(way)
		way = append(way[:n-3], top)
	}
	t.inner[t.root].red = false
	return way
}
