package drxmp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drx/nd"
)

// A Distribution says which proc owns which chunks: the procs stand in a grid, row-major, and
// along each dimension the chunks are dealt to its coordinates. The zero value is a block for
// each proc, with a grid that is chosen to balance them when the array is opened or redistributed,
// and that stays when it grows.
type Distribution struct {
	// Grid holds the procs along each dimension; nil is a balanced grid. Their product is
	// at most the number of procs; those that are left own nothing.
	Grid []int
	// Dims says how chunks are dealt along each dimension; nil is Block for all.
	Dims []Dealing
}

// A Dealing says how the chunks along one dimension are dealt to the procs along it. The zero
// value is Block.
type Dealing struct {
	cycle int   // chunks that are dealt at a time, in turn; 0 for none
	cuts  []int // chunk indices; nil for none
}

// Block gives each proc along a dimension one contiguous part; parts differ by one chunk at most,
// and the longer ones come first. They change when the dimension grows.
func Block() Dealing { return Dealing{} }

// Cyclic deals chunks one at a time: chunk index i goes to i modulo the number of procs. It
// stays there when the dimension grows.
func Cyclic() Dealing { return BlockCyclic(1) }

// BlockCyclic deals chunks b at a time: those from index j*b to (j+1)*b - 1 go to j modulo the
// number of procs. They stay there when the dimension grows.
func BlockCyclic(b int) Dealing { return Dealing{cycle: b} }

// Cut gives each proc along a dimension the chunks between two cuts, which are chunk indices
// and ascend: one less than there are procs. The first part begins, and the last one ends, where
// the array does.
func Cut(cuts ...int) Dealing {
	if cuts == nil {
		cuts = []int{}
	}
	return Dealing{cuts: cuts}
}

// String writes the dealing as ParseDealing reads it.
func (d Dealing) String() string {
	switch {
	case d.cuts != nil:
		words := make([]string, len(d.cuts))
		for i, c := range d.cuts {
			words[i] = strconv.Itoa(c)
		}
		return "cut(" + strings.Join(words, " ") + ")"
	case d.cycle == 1:
		return "cyclic"
	case d.cycle != 0:
		return fmt.Sprintf("cyclic(%d)", d.cycle)
	}
	return "block"
}

// ParseDealing reads "block", "cyclic", "cyclic(3)", which is BlockCyclic(3), and "cut(2 5)".
// The error wraps nd.ErrBounds where chunks are dealt less than one at a time.
func ParseDealing(text string) (Dealing, error) {
	name, rest, has := strings.Cut(strings.TrimSpace(text), "(")
	words := strings.Fields(strings.TrimSuffix(rest, ")"))
	if has != strings.HasSuffix(rest, ")") {
		return Dealing{}, fmt.Errorf("dealing %q: a bracket is missing", text)
	}
	numbers := make([]int, len(words))
	for i, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil {
			return Dealing{}, fmt.Errorf("dealing %q: %q is no number", text, w)
		}
		numbers[i] = n
	}
	switch {
	case name == "block" && !has:
		return Block(), nil
	case name == "cyclic" && !has:
		return Cyclic(), nil
	case name == "cyclic" && len(numbers) == 1 && numbers[0] < 1:
		return Dealing{}, fmt.Errorf("dealing %q: %w: at least 1 chunk at a time", text, nd.ErrBounds)
	case name == "cyclic" && len(numbers) == 1:
		return BlockCyclic(numbers[0]), nil
	case name == "cut" && has:
		return Cut(numbers...), nil
	}
	return Dealing{}, fmt.Errorf("dealing %q is not block, cyclic, cyclic(3) or cut(2 5)", text)
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

// widened returns the distribution, whose grid must be set, for an array that has got more
// dimensions: along these there is one proc.
func (d Distribution) widened(rank int) Distribution {
	d.Grid, d.Dims = slices.Clone(d.Grid), slices.Clone(d.Dims)
	for len(d.Grid) < rank {
		d.Grid, d.Dims = append(d.Grid, 1), append(d.Dims, Block())
	}
	return d
}

// check returns an error unless the distribution suits an array of a rank and so many procs.
// Its grid must be set.
func (d Distribution) check(rank, procs int) error {
	if err := nd.CheckRank("extents of the grid of procs", len(d.Grid), rank); err != nil {
		return err
	}
	if err := nd.CheckRank("dealings", len(d.Dims), rank); err != nil {
		return err
	}
	for dim, n := range d.Grid {
		if n < 1 {
			return fmt.Errorf("dimension %d: %d procs along it: %w: at least 1", dim, n, nd.ErrBounds)
		}
		if err := d.Dims[dim].check(n); err != nil {
			return fmt.Errorf("dimension %d: %w", dim, err)
		}
	}
	if n, err := nd.Product(d.Grid...); err != nil || n > procs {
		return fmt.Errorf("grid of procs %v: %w: there are %d", d.Grid, nd.ErrBounds, procs)
	}
	return nil
}

func (d Dealing) check(procs int) error {
	switch {
	case d.cycle < 0:
		return fmt.Errorf("%d chunks at a time: %w: at least 1", d.cycle, nd.ErrBounds)
	case d.cuts != nil && len(d.cuts) != procs-1:
		return fmt.Errorf("%d cuts for %d procs: %w: one less than procs", len(d.cuts), procs, nd.ErrBounds)
	case !slices.IsSorted(d.cuts):
		return fmt.Errorf("cuts %v: %w: they ascend", d.cuts, nd.ErrBounds)
	}
	return nil
}

// owner returns which of n procs along a dimension has chunk index i, of those in [lo, hi).
func (d Dealing) owner(i, lo, hi, n int) int {
	switch {
	case d.cuts != nil:
		at, _ := slices.BinarySearch(d.cuts, i+1)
		return at
	case d.cycle > 0:
		p := nd.FloorDiv(i, d.cycle) % n
		if p < 0 {
			p += n
		}
		return p
	}
	each, more := (hi-lo)/n, (hi-lo)%n
	if i -= lo; i < more*(each+1) {
		return i / (each + 1)
	}
	return more + (i-more*(each+1))/each
}

// A span is the indices [lo, hi) along one dimension.
type span struct{ lo, hi int }

// spans returns the chunk indices that proc p of n has, of those in [lo, hi): ascending, and not
// empty.
func (d Dealing) spans(p, lo, hi, n int) []span {
	switch {
	case d.cuts != nil:
		s := span{lo, hi}
		if p > 0 {
			s.lo = max(lo, d.cuts[p-1])
		}
		if p < n-1 {
			s.hi = min(hi, d.cuts[p])
		}
		return appendSpan(nil, s)
	case d.cycle > 0:
		var all []span
		first := nd.FloorDiv(lo, d.cycle)
		skip := (p - first%n + 2*n) % n
		for from := (first + skip) * d.cycle; from < hi; from += n * d.cycle {
			all = appendSpan(all, span{max(lo, from), min(hi, from+d.cycle)})
		}
		return all
	}
	each, more := (hi-lo)/n, (hi-lo)%n
	from := lo + p*each + min(p, more)
	to := from + each
	if p < more {
		to++
	}
	return appendSpan(nil, span{from, to})
}

func appendSpan(all []span, s span) []span {
	if s.lo < s.hi {
		all = append(all, s)
	}
	return all
}
