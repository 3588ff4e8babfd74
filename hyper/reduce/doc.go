// Package reduce finds linear transforms of spectra to a few components: principal components and
// minimum noise fractions.
//
// [PCT] orders the components by their variance: they are the eigenvectors of the covariance K.
//
// [MNF] orders them by their ratio of signal to noise (Green et al., IEEE TGRS 26(1), 1988, in the
// two steps of Lee et al., IEEE TGRS 28(3), 1990): the noise, of covariance N, is whitened, and the
// principal components of what results are taken. Component i is the a that maximises
//
//	a'Ka / a'Na
//
// among those that are uncorrelated with the components before. Here a'Na = 1, and the value of the
// component is a'Ka: 1 where there is only noise, and the ratio of signal to noise plus 1
// elsewhere.
//
// Eigenvectors have no sign. Here the element of the largest absolute value of each row of Forward
// is positive, the first one of several, so that results can be compared.
package reduce
