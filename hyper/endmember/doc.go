// Package endmember finds the endmembers of a hyperspectral scene: the spectra of the pure
// materials of which the pixels are mixtures.
//
//	method := &endmember.NFINDR{Options: endmember.Options{Count: 4}, Starts: 10}
//	found, err := endmember.Find(ctx, cube, method)
//
// # Methods
//
//	PPI     extremes of random projections           Boardman, Kruse, Green 1995
//	FIPPI   extremes along extremes                  Chang, Plaza 2006
//	ATGP    largest part outside of the span         Ren, Chang 2003
//	SGA     farthest from the simplex so far         Chang, Wu, Liu, Ouyang 2006
//	VCA     extremes of projections in a subspace    Nascimento, Dias 2005
//	NFINDR  simplex of largest volume                Winter 1999
//	AMEE    spectrally extreme among neighbours      Plaza, Martinez, Perez, Plaza 2002
//	SISAL   smallest simplex around nearly all       Bioucas-Dias 2009; no pixels of the scene
//
// The source of each formula is cited at its type. In noisy scenes, results improve with
// [drx/hyper/derived.Mean] first, and for all methods but AMEE with a
// [drx/hyper/derived.Projection].
//
// # Results
//
// Results have the same bits for any number of goroutines and procs, memory size and BLAS kernel
// (for SISAL, and for VCA's own subspace, only with the same kernel). If several pixels have equal
// values, the lowest one is chosen, line by line, by indices that do not change when the scene
// grows.
//
// # Growth
//
// A [Method] includes its state, which JSON or gob can store. When the scene has grown or changed,
// Update with the block of the new pixels gives the result that the method would find in the whole
// scene, bit for bit, mostly without reading the rest of the scene again. There are exceptions:
// NFINDR gives a simplex that no pixel of the whole scene enlarges, but which may differ from that
// of a search from the beginning; VCA keeps its initial subspace; SISAL reads everything again.
package endmember
