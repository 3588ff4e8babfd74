package planner

import (
	"math/rand/v2"

	"drx/nd"
	"drx/relayout/internal/arraytest"
)

// randomGrids returns a problem of at most about the given number of elements.
func randomGrids(r *rand.Rand, elements int) (src, dst Grid, order nd.Order) {
	a, b, order := arraytest.RandomGrids(r, elements)
	return Grid(a), Grid(b), order
}
