package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// An extension adds indices to a dimension.
type extension struct{ dim, by int }

// randomExtensions returns n extensions of the first dims dimensions, by least to 100 indices each,
// as in the thesis (section 8.5.1).
func randomExtensions(seed uint64, n, dims, least int) []extension {
	rng := rand.New(rand.NewPCG(seed, 0))
	es := make([]extension, n)
	for i := range es {
		es[i] = extension{rng.IntN(dims), least + rng.IntN(101-least)}
	}
	return es
}

// steps writes extensions as an argument of a request.
func steps(es []extension) string {
	words := make([]string, len(es))
	for i, e := range es {
		words[i] = fmt.Sprintf("%d:%d", e.dim, e.by)
	}
	return strings.Join(words, ",")
}
