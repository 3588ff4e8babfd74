package drxmp

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"drx/internal/errkind"
	"drx/nd"
)

// A Distribution assigns chunks to procs. The procs form a grid, row-major, and the chunks along
// each dimension are distributed over the coordinates of the grid. The zero value gives each proc
// one block, with a grid that balances the blocks. That grid is chosen when the array is opened or
// redistributed, and stays when the array grows.
type Distribution struct {
	// Grid holds the number of procs along each dimension; nil means BalancedGrid. The product is
	// at most the number of procs; the remaining procs own nothing.
	Grid []int
	// Dims holds the distribution along each dimension; nil means Block for all.
	Dims []DimDistribution
}

// A DimDistribution distributes the chunks along one dimension over the procs along it. The zero
// value is Block.
type DimDistribution struct {
	cycle int   // chunks per block of a cyclic distribution; 0 for none
	cuts  []int // chunk indices at the boundaries of GenBlock; nil for none
}

// Block gives each proc along a dimension one contiguous block. The blocks differ by at most one
// chunk; the longer ones come first. They change when the dimension grows.
func Block() DimDistribution { return DimDistribution{} }

// Cyclic distributes single chunks in turn: chunk index i belongs to proc i modulo the number of
// procs, also after the dimension has grown.
func Cyclic() DimDistribution { return BlockCyclic(1) }

// BlockCyclic distributes blocks of b chunks in turn: chunk indices from j*b to (j+1)*b - 1 belong
// to proc j modulo the number of procs, also after the dimension has grown.
func BlockCyclic(b int) DimDistribution { return DimDistribution{cycle: b} }

// GenBlock gives each proc along a dimension one contiguous block of any length, as GEN_BLOCK of
// High Performance Fortran does. The arguments are the chunk indices at which a block ends and the
// next one begins: ascending, and one fewer than procs. The first block begins, and the last one
// ends, where the array does.
func GenBlock(cuts ...int) DimDistribution {
	if cuts == nil {
		cuts = []int{}
	}
	return DimDistribution{cuts: cuts}
}

// String returns the text that ParseDimDistribution reads.
func (d DimDistribution) String() string {
	switch {
	case d.cuts != nil:
		return "genblock(" + strings.Trim(fmt.Sprint(d.cuts), "[]") + ")"
	case d.cycle == 1:
		return "cyclic"
	case d.cycle != 0:
		return fmt.Sprintf("cyclic(%d)", d.cycle)
	}
	return "block"
}

// ParseDimDistribution reads "block", "cyclic", "cyclic(3)", which is BlockCyclic(3), and
// "genblock(2 5)". The error wraps nd.ErrBounds if the blocks of a cyclic distribution have less
// than one chunk.
func ParseDimDistribution(text string) (DimDistribution, error) {
	name, rest, has := strings.Cut(strings.TrimSpace(text), "(")
	words := strings.Fields(strings.TrimSuffix(rest, ")"))
	if has != strings.HasSuffix(rest, ")") {
		return DimDistribution{}, fmt.Errorf("distribution %q: a bracket is missing", text)
	}
	numbers := make([]int, len(words))
	for i, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil {
			return DimDistribution{}, fmt.Errorf("distribution %q: %q is no number", text, w)
		}
		numbers[i] = n
	}
	switch {
	case name == "block" && !has:
		return Block(), nil
	case name == "cyclic" && !has:
		return Cyclic(), nil
	case name == "cyclic" && len(numbers) == 1 && numbers[0] < 1:
		return DimDistribution{}, errkind.Errorf(nd.ErrBounds, "distribution %q: want at least 1 chunk at a time", text)
	case name == "cyclic" && len(numbers) == 1:
		return BlockCyclic(numbers[0]), nil
	case name == "genblock" && has:
		return GenBlock(numbers...), nil
	}
	return DimDistribution{}, fmt.Errorf("distribution %q is not block, cyclic, cyclic(3) or genblock(2 5)", text)
}

// String writes the distribution in one line.
func (d Distribution) String() string {
	words := make([]string, max(len(d.Grid), len(d.Dims)))
	for i := range words {
		if words[i] = "block"; i < len(d.Dims) {
			words[i] = d.Dims[i].String()
		}
		if i < len(d.Grid) {
			words[i] += fmt.Sprintf(" over %d", d.Grid[i])
		}
	}
	if len(words) == 0 {
		return "block"
	}
	return strings.Join(words, ", ")
}

// widened returns the distribution for an array with new dimensions, with one proc along each. The
// grid must be set.
func (d Distribution) widened(rank int) Distribution {
	d.Grid, d.Dims = slices.Clone(d.Grid), slices.Clone(d.Dims)
	for len(d.Grid) < rank {
		d.Grid, d.Dims = append(d.Grid, 1), append(d.Dims, Block())
	}
	return d
}

// check returns an error unless the distribution fits the rank and the number of procs. The grid
// must be set.
func (d Distribution) check(rank, procs int) error {
	if err := nd.CheckRank("extents of the grid of procs", len(d.Grid), rank); err != nil {
		return err
	}
	if err := nd.CheckRank("distributions", len(d.Dims), rank); err != nil {
		return err
	}
	for dim, n := range d.Grid {
		if n < 1 {
			return errkind.Errorf(nd.ErrBounds, "dimension %d: %d procs along it: want at least 1", dim, n)
		}
		if err := d.Dims[dim].check(n); err != nil {
			return fmt.Errorf("dimension %d: %w", dim, err)
		}
	}
	if n, err := nd.Product(d.Grid...); err != nil || n > procs {
		return errkind.Errorf(nd.ErrBounds, "grid of procs %v: there are %d", d.Grid, procs)
	}
	return nil
}

func (d DimDistribution) check(procs int) error {
	switch {
	case d.cycle < 0:
		return errkind.Errorf(nd.ErrBounds, "%d chunks at a time: want at least 1", d.cycle)
	case d.cuts != nil && len(d.cuts) != procs-1:
		return errkind.Errorf(nd.ErrBounds, "%d cuts for %d procs: want one fewer than procs", len(d.cuts), procs)
	case !slices.IsSorted(d.cuts):
		return errkind.Errorf(nd.ErrBounds, "cuts %v: they must ascend", d.cuts)
	}
	return nil
}

// owner returns which of n procs along a dimension owns chunk index i. [lo, hi) are the bounds of
// the chunk indices.
func (d DimDistribution) owner(i, lo, hi, n int) int {
	if d.cycle > 0 {
		j := nd.FloorDiv(i, d.cycle)
		return j - nd.FloorDiv(j, n)*n
	}
	return sort.Search(n-1, func(p int) bool { return i < d.begin(p+1, lo, hi, n) })
}

// begin returns the chunk index at which the block of proc p of n begins; for p = n it is the end
// of the last block. Each proc must have one block.
func (d DimDistribution) begin(p, lo, hi, n int) int {
	switch {
	case p == 0:
		return lo
	case p == n:
		return hi
	case d.cuts != nil:
		return min(max(lo, d.cuts[p-1]), hi)
	}
	each, more := (hi-lo)/n, (hi-lo)%n
	return lo + p*each + min(p, more)
}

// A span is the half-open range [lo, hi) of indices along one dimension.
type span struct{ lo, hi int }

// spans returns the chunk indices that proc p of n owns along a dimension with the bounds [lo, hi):
// ascending spans, none of them empty.
func (d DimDistribution) spans(p, lo, hi, n int) []span {
	if d.cycle == 0 {
		return appendSpan(nil, span{d.begin(p, lo, hi, n), d.begin(p+1, lo, hi, n)})
	}
	var all []span
	first := nd.FloorDiv(lo, d.cycle)
	skip := (p - first%n + 2*n) % n
	for from := (first + skip) * d.cycle; from < hi; from += n * d.cycle {
		all = appendSpan(all, span{max(lo, from), min(hi, from+d.cycle)})
	}
	return all
}

func appendSpan(all []span, s span) []span {
	if s.lo < s.hi {
		all = append(all, s)
	}
	return all
}
