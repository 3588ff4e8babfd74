package stats

import (
	"context"
	"slices"

	"drx/dtype"
)

// Quantiles of values that do not fit in memory are found by passes over histograms (radix
// selection). Each value maps to a 64-bit key in the same order. A pass takes the keys that begin
// with the known bits of the wanted key and counts them by their next radixBits bits, which are
// thus found. As soon as the remaining keys fit in memory, the next pass lists them instead.

// A target is a value to find: the one with the given rank among the values of a cell whose keys
// begin with prefix.
type target struct {
	cell   int
	prefix uint64
	rank   int64
	left   int64 // the number of keys that begin with prefix
	value  float64
}

// A digits reducer counts or lists the keys that begin with the prefixes of targets.
type digits[T number] struct {
	prefixes [][]uint64 // for each cell, ascending
	first    []int      // for each cell, the number of its first prefix
	known    int        // the number of bits of a prefix
	counts   [][]int64  // for each prefix, a histogram of the next bits; nil to list
	keys     [][]uint64 // for each prefix, the listed keys
}

// newDigits returns a reducer for the prefixes of targets, which have known bits.
func newDigits[T number](cells int, targets []*target, known int, list bool) *digits[T] {
	d := &digits[T]{prefixes: make([][]uint64, cells), first: make([]int, cells+1), known: known}
	for _, t := range targets {
		if !slices.Contains(d.prefixes[t.cell], t.prefix) {
			d.prefixes[t.cell] = append(d.prefixes[t.cell], t.prefix)
		}
	}
	for i, list := range d.prefixes {
		slices.Sort(list)
		d.first[i+1] = d.first[i] + len(list)
	}
	if list {
		d.keys = make([][]uint64, d.first[cells])
		return d
	}
	d.counts = make([][]int64, d.first[cells])
	for i := range d.counts {
		d.counts[i] = make([]int64, 1<<radixBits)
	}
	return d
}

// of returns the number of a prefix of a cell, or false if no target has that prefix.
func (d *digits[T]) of(cell int, prefix uint64) (int, bool) {
	for i, p := range d.prefixes[cell] {
		if p == prefix {
			return d.first[cell] + i, true
		}
	}
	return 0, false
}

func (d *digits[T]) add(r *run[T], at, stride int) {
	shift := 64 - d.known
	for i, v := range r.values {
		if r.omits(i) {
			continue
		}
		key := keyOf(v)
		k, ok := d.of(at+i*stride, key>>shift) // Go shifts by 64 to 0, the only prefix of 0 bits
		switch {
		case !ok:
		case d.keys != nil:
			d.keys[k] = append(d.keys[k], key)
		default:
			d.counts[k][key<<d.known>>(64-radixBits)]++
		}
	}
}

func (d *digits[T]) merge(o *digits[T]) {
	for k := range d.counts {
		for i, n := range o.counts[k] {
			d.counts[k][i] += n
		}
	}
	for k := range d.keys {
		d.keys[k] = append(d.keys[k], o.keys[k]...)
	}
}

func (d *digits[T]) encode(b []byte) []byte {
	for _, counts := range d.counts {
		b = append(b, dtype.Bytes(counts)...)
	}
	for _, keys := range d.keys {
		b = appendFrame(b, dtype.Bytes(keys))
	}
	return b
}

func (d *digits[T]) decode(b []byte) {
	for _, counts := range d.counts {
		b = b[copy(dtype.Bytes(counts), b):]
	}
	for k := range d.keys {
		var keys []byte
		keys, b = nextFrame(b)
		d.keys[k] = make([]uint64, len(keys)/8)
		copy(dtype.Bytes(d.keys[k]), keys)
	}
}

// learn extends the prefixes of targets by the bits that a pass has found. It reports whether the
// targets are found.
func (d *digits[T]) learn(targets []*target) (found bool) {
	for _, keys := range d.keys {
		slices.Sort(keys)
	}
	for _, t := range targets {
		k, _ := d.of(t.cell, t.prefix)
		if d.keys != nil {
			t.value = numberOf[T](d.keys[k][t.rank])
			continue
		}
		digit := 0
		for ; t.rank >= d.counts[k][digit]; digit++ {
			t.rank -= d.counts[k][digit]
		}
		t.prefix, t.left = t.prefix<<radixBits|uint64(digit), d.counts[k][digit]
		t.value = numberOf[T](t.prefix) // if all bits are known
	}
	return d.keys != nil || d.known+radixBits == 64
}

// findQuantiles finds the quantiles of the cells of a tile, by percentage. s holds the counts.
func findQuantiles[T number](ctx context.Context, p *plan, t *tile, s *state[T]) (map[float64][]float64, error) {
	var targets []*target
	byFunc := map[float64][][2]*target{}
	for _, f := range p.req.Funcs {
		if f.Op != Quantile {
			continue
		}
		pairs := make([][2]*target, t.cells)
		for i, n := range s.counts {
			if n > 0 {
				r := rankOf(f.Percent, n)
				pairs[i] = [2]*target{{cell: i, rank: r.low, left: n}, {cell: i, rank: r.high, left: n}}
				targets = append(targets, pairs[i][:]...)
			}
		}
		byFunc[f.Percent] = pairs
	}
	if err := findTargets[T](ctx, p, t, targets); err != nil {
		return nil, err
	}
	found := map[float64][]float64{}
	for percent, pairs := range byFunc {
		found[percent] = make([]float64, t.cells)
		for i, n := range s.counts {
			if n > 0 {
				found[percent][i] = rankOf(percent, n).between(pairs[i][0].value, pairs[i][1].value)
			}
		}
	}
	return found, nil
}

// findTargets passes over the elements of a tile until all targets are found.
func findTargets[T number](ctx context.Context, p *plan, t *tile, targets []*target) error {
	for known, found := 0, len(targets) == 0; !found; known += radixBits {
		left := map[[2]uint64]int64{} // by cell and prefix
		for _, g := range targets {
			left[[2]uint64{uint64(g.cell), g.prefix}] = g.left
		}
		total := int64(0)
		for _, n := range left {
			total += n
		}
		list := 8*total <= int64(p.memory()/4)
		begin := func(t *tile) *digits[T] { return newDigits[T](t.cells, targets, known, list) }
		learn := func(_ *tile, d *digits[T]) (*Result, error) {
			found = d.learn(targets)
			return nil, nil
		}
		j := &job[T, *digits[T]]{plan: p, begin: begin, finish: learn}
		if err := j.run(ctx, t.number, t.number+1); err != nil {
			return err
		}
	}
	return nil
}
