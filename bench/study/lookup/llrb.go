package lookup

// An LLRB is a leaf-linked red-black tree (Otoo 2006, 2.4): one record in each leaf, leaves linked
// both ways, separators in the inner nodes. Insert replaces the leaf at the end of its search by a
// red inner node above the old leaf and the new one, and then restores the black heights from there
// upwards. For E records Floor, Inverse and Insert take O(log E) time.
type LLRB struct{ tree }

// Insert implements Index.
func (t *LLRB) Insert(r Record) error {
	if t.size == 0 {
		t.bucket = 1
		t.firstLeaf(r)
		return nil
	}
	var p path
	way, key, at := p[:0], r.Key(), t.root
	for at >= 0 {
		way = append(way, at)
		node := &t.inner[at]
		at = node.child[side(node.key <= key)]
	}
	node, err := t.add(above(way, len(way)), int32(^at), r)
	if err != nil || node == none {
		return err
	}
	t.fixUp(append(way, node))
	return nil
}

// fixUp restores the colours if the last node on the path is red and has a red parent
// (Cormen et al., RB-Insert-Fixup).
func (t *LLRB) fixUp(way []ref) {
	for n := len(way); n >= 3 && t.isRed(way[n-2]); n = len(way) {
		parent, grand := way[n-2], way[n-3]
		uncle := t.inner[grand].child[1-t.sideOf(grand, parent)]
		if !t.isRed(uncle) {
			t.lift(way)
			break
		}
		t.inner[parent].red, t.inner[uncle].red = false, false
		t.inner[grand].red = true
		way = way[:n-2]
	}
	t.inner[t.root].red = false
}
