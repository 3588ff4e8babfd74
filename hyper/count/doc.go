// Package count estimates how many spectrally distinct materials a scene has. Everything is
// computed from the moments of the spectra (package stats), so it can be repeated whenever a scene
// has grown, without reading it again.
//
// [HFC] (Harsanyi, Farrand and Chang 1993; Chang and Du, IEEE TGRS 42(3), 2004) compares the
// eigenvalues of the autocorrelation R with those of the covariance K. They differ where there is a
// mean, so where there is a signal:
//
//	z[i] = r[i] - k[i] > sqrt(2/n (r[i]^2 + k[i]^2)) q
//
// with the n pixels and the quantile q of the normal distribution that noise alone exceeds with the
// given probability of a false alarm. [NWHFC] does this with spectra whose noise is made white,
// which that test supposes.
//
// [HySime] (Bioucas-Dias and Nascimento, IEEE TGRS 46(8), 2008) needs no parameter. The noise of a
// band is the part that the other bands do not predict. HySime keeps the directions with more
// signal than noise, whose removal would increase the mean squared error.
package count
