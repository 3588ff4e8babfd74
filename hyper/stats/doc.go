// Package stats computes means, covariances and noise of hyperspectral scenes.
//
// # Moments
//
// [Sum] sums vectors x of a scene: their number n, the sum of x and the sum of xx'. The vectors are
// the spectra of the usable pixels, or differences between neighbouring pixels ([Kind]). All
// statistics follow from these [Moments]:
//
//	mean              m = sum x / n
//	covariance        K = (sum xx' - n mm') / (n - 1)
//	autocorrelation   R = sum xx' / n
//	noise covariance  half the covariance of the differences (Green et al., IEEE TGRS 26(1), 1988)
//
// (Algorithm 8 of the thesis of 2016 subtracts the mean of each process from the spectra of that
// process, and does not divide by the number of pixels; both are slips.)
//
// # Exactness
//
// The moments of a tile are computed by a matrix product, in an order that depends only on the
// tile. The sum of the moments of tiles is never rounded. Then
//
//   - the results have the same bits for any number of goroutines and processes, and on every
//     machine;
//   - moments of parts of a scene can be added and subtracted: a scene that grows, or is
//     overwritten in part, has the moments of one that was read at once, bit for bit, if the parts
//     consist of whole tiles ([drx/hyper/scene.Cover]);
//   - for integers of at most 16 bits nothing at all is rounded, and parts may have any bounds: the
//     moments of a tile stay below 2^53. The covariance is then the true one, rounded once.
//
// For other numbers the covariance loses about as many digits as the square of mean / standard
// deviation has. That is inherent in computing it from moments: for reflectances with a mean of 100
// standard deviations, 12 of 16 digits remain.
package stats
