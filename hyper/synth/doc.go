// Package synth makes hyperspectral scenes of which the truth is known exactly: which material each pixel is, and what share of
// it every material has.
//
// The spectrum of a pixel p is
//
//	x(p) = light(p) * sum over classes c of a(c,p) * spectrum(c) + noise(p)
//
// The map says the class of each pixel. The share a(c,p) is that of class c in the square of Mixing x Mixing pixels around p: 1
// within a patch, and mixed at its borders. light(p) is smooth, from 1-Illumination to 1+Illumination. The noise is Gaussian,
// with a given ratio of signal to noise and correlation of neighbouring bands.
//
// Each pixel depends only on the specification and its indices. So any block of a scene of any size can be made by itself, by any
// number of goroutines, always with the same bits.
package synth
