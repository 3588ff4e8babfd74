package advise

import (
	"cmp"
	"math/big"
	"slices"
)

// compare orders shapes from best to worst, as Best describes. It is exact: costs are fractions.
func (p Problem) compare(a, b []int) int {
	return cmp.Or(
		p.exactCost(a).Cmp(p.exactCost(b)),
		cmp.Compare(elements(a), elements(b)),
		cmp.Compare(sum(a), sum(b)),
		slices.Compare(a, b),
	)
}

// exactCost returns the cost of a shape times the sum of the weights.
func (p Problem) exactCost(chunk []int) *big.Rat {
	total := new(big.Rat)
	for _, a := range p.Accesses {
		class := new(big.Rat).SetFloat64(a.Weight)
		for d, n := range a.Box {
			f := factor(n, chunk[d], p.extent(d))
			class.Mul(class, big.NewRat(f.num, f.den))
		}
		total.Add(total, class)
	}
	return total
}

// classCosts returns the expected number of chunks by class.
func (p Problem) classCosts(chunk []int) []float64 {
	costs := make([]float64, len(p.Accesses))
	for i, a := range p.Accesses {
		costs[i] = 1
		for d, n := range a.Box {
			costs[i] *= factor(n, chunk[d], p.extent(d)).float()
		}
	}
	return costs
}

// elements returns the product of the extents of a shape that fits a block.
func elements(chunk []int) int {
	product := 1
	for _, c := range chunk {
		product *= c
	}
	return product
}

func sum(chunk []int) int {
	total := 0
	for _, c := range chunk {
		total += c
	}
	return total
}
