// Package count estimates the number of spectrally distinct materials in a scene. It computes
// everything from the moments of the spectra (package stats), so the estimate can be repeated when
// a scene has grown, without reading it again.
//
// [HFC] (Harsanyi, Farrand and Chang 1993; Chang and Du, IEEE TGRS 42(3), 2004) compares the
// eigenvalues of the autocorrelation R with those of the covariance K. They differ in directions in
// which the mean, and so the signal, is not zero:
//
//	z[i] = r[i] - k[i] > sqrt(2/n (r[i]^2 + k[i]^2)) q
//
// for n pixels. q is the quantile of the normal distribution that noise alone exceeds with the
// given probability of a false alarm. The test assumes white noise; [NWHFC] first whitens the noise
// of the spectra.
//
// [HySime] (Bioucas-Dias and Nascimento, IEEE TGRS 46(8), 2008) needs no parameter. The noise of a
// band is the part that the other bands do not predict. HySime keeps the directions with more
// signal than noise: removing one of them would increase the mean squared error.
package count
