// Package search finds the pixels of a scene where functions of the spectrum are largest.
//
// One matrix product per tile computes linear forms of all its pixels. Its values have rounding
// errors that depend on the kernel and on the place of the pixel in the tile. So they only choose
// candidates: the pixels whose true value, by a bound of the error, may be the largest of the tile.
// The values of candidates are computed one by one, in an order of summation that is always the
// same. So the results have the same bits for any kernel, tiles and goroutines. The bound: a
// computed scalar product of n numbers is off by at most n u |a| |b|, u = 2^-53, in any order of
// summation (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
//
// Of several pixels with the same value the lowest one wins, in the order of [scene.Pixel.Compare].
package search
