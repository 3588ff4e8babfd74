// Package endmember finds the endmembers of a hyperspectral scene: spectra of pure materials, whose
// mixtures are the pixels.
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
// The source of each formula is with its type. A scene that is noisy gives better results with
// [drx/hyper/derived.Mean] first, and all but AMEE with a [drx/hyper/derived.Projection].
//
// # Results
//
// They have the same bits for any number of goroutines and procs, memory and BLAS kernel (SISAL,
// and VCA's own subspace: for one kernel). Of pixels that are equal in all respects the lowest one
// wins, line by line, by indices that stay when the scene grows.
//
// # Growth
//
// A [Method] is also its state, which JSON or gob can keep. When the scene has grown or changed,
// Update with the block of the new pixels gives the result that the method would find in the whole
// scene, bit for bit, mostly without reading the rest of the scene again. The exceptions: NFINDR
// gives a simplex that no pixel of the whole scene enlarges, but perhaps not the one that it would
// find from the beginning; VCA keeps the subspace in which it began; SISAL reads everything again.
package endmember
