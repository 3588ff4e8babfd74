// Package search finds the pixels of a scene where functions of the spectrum are largest.
//
// One matrix product per tile computes linear forms of all its pixels. Its rounding errors depend
// on the kernel and on the position of the pixel in the tile. So the product only selects
// candidates: the pixels whose exact value, within the bound of the error, may be the largest of
// the tile. The values of candidates are then computed one by one, always in the same order of
// summation. So the results have the same bits for any kernel, tiles and goroutines. The bound: a
// computed scalar product of n numbers is off by at most n u |a| |b|, u = 2^-53, in any order of
// summation (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
//
// Of several pixels with equal values, the lowest one is chosen, in the order of
// [scene.Pixel.Compare].
package search
