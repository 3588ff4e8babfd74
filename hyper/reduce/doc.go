// Package reduce finds linear transforms of spectra to a few components: principal components and
// minimum noise fractions.
//
// [PCT] orders the components by their variance: they are the eigenvectors of the covariance K.
//
// [MNF] orders them by their ratio of signal to noise (Green et al., IEEE TGRS 26(1), 1988, in the
// two steps of Lee et al., IEEE TGRS 28(3), 1990): it whitens the noise, of covariance N, and then
// computes the principal components of the whitened spectra. Component i is the a that maximises
//
//	a'Ka / a'Na
//
// among those that are uncorrelated with the earlier components. Here a'Na = 1, so the value of the
// component is a'Ka: the ratio of signal to noise plus 1, which is 1 for pure noise.
//
// Eigenvectors have no sign. Here, in each row of Forward, the element of the largest absolute
// value (the first, if several are equal) is positive, so that results can be compared.
package reduce
