// Package detect computes a score for each pixel of a scene: how much it differs from the others,
// or how similar it is to a target.
//
//	x: the spectrum of a pixel; t: that of the target; m, C: mean and covariance of the background; R: its correlation, the mean of x x'
//
//	RX    (x-m)' C^-1 (x-m)                                            Reed and Yu, IEEE Trans. ASSP 38, 1990
//	MF    (t-m)' C^-1 (x-m) / (t-m)' C^-1 (t-m)                        matched filter; Manolakis et al., Lincoln Lab. J. 14, 2003
//	ACE   ((t-m)' C^-1 (x-m))^2 / ((t-m)' C^-1 (t-m) (x-m)' C^-1 (x-m))  Kraut, Scharf and McWhorter, IEEE Trans. SP 49, 2001
//	CEM   t' R^-1 x / t' R^-1 t                                        Harsanyi, thesis, 1993; Chang, Hyperspectral Imaging, 2003
//	OSP   t' P x / t' P t, P = 1 - U U^+                               Harsanyi and Chang, IEEE TGRS 32, 1994; U: undesired spectra
//
// RX has no upper bound; for Gaussian spectra it has a chi squared distribution with one degree of
// freedom per band. MF, CEM and OSP estimate the share of the target: they are 1 for the target,
// and 0 on average, or for suppressed spectra. The OSP of 1994 is t' P x, which is this one times
// t' P t. ACE has the sign of MF here, and so is from -1 to 1: without the sign, a pixel on the
// other side of the mean would have as high a score as the target.
//
// Mean, covariance and correlation are arguments, so they may belong to the scene, a part of it, or
// another scene.
package detect
