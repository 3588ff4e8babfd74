package d2q9

// A row has the nodes of one y, by x, with the populations of a node next to each other. nil stands
// for a wall.
type row = []float64

// A Kernel does one step of the nodes of some rows.
type Kernel struct {
	Collide Collision
	Lid     float64 // velocity of the wall above the highest row, to the east, in nodes per step
}

// Rows does one step of some rows, of the given width in elements, from themselves and the rows
// below and above one step before.
func (k Kernel) Rows(next []float64, below row, here []float64, above row, width int) {
	for at := 0; at < len(here); at += width {
		lower, upper := below, above
		if at > 0 {
			lower = here[at-width : at]
		}
		if end := at + width; end < len(here) {
			upper = here[end : end+width]
		}
		k.Step(next[at:at+width], lower, here[at:at+width], upper)
	}
}

// Step computes a row from itself and the two next to it one step before: each population moves
// from the node that it left, and then those of a node collide. Walls are half-way between nodes: a
// population that moves into a wall comes back out of it, and the lid adds its own velocity (A. J.
// C. Ladd 1994).
func (k Kernel) Step(next, below, here, above row) {
	n := len(here) / Directions
	for x := range n {
		f := (*Node)(next[x*Directions:])
		if below == nil || above == nil || x == 0 || x == n-1 {
			*f = k.atWall(x, n, below, here, above)
		} else {
			b, h, a := below[(x-1)*Directions:][:3*Directions], here[(x-1)*Directions:][:3*Directions], above[(x-1)*Directions:][:3*Directions]
			*f = Node{h[9], h[1], b[11], h[21], a[13], b[5], b[24], a[25], a[8]}
		}
		k.Collide(f)
	}
}

// atWall returns the populations that come to a node that may be next to walls. A wall below or
// above goes before one at the side, so that the lid reaches into the corners.
func (k Kernel) atWall(x, n int, below, here, above row) (f Node) {
	for i := range f {
		from, source := x-cx[i], here
		switch cy[i] {
		case 1:
			source = below
		case -1:
			source = above
		}
		if source != nil && from >= 0 && from < n {
			f[i] = source[from*Directions+i]
			continue
		}
		f[i] = here[x*Directions+opposite[i]]
		if cy[i] == -1 && above == nil {
			f[i] += 6 * weight[i] * float64(cx[i]) * k.Lid
		}
	}
	return f
}
