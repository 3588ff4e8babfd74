// Package synth generates hyperspectral scenes with an exactly known truth: the material of each
// pixel, and the share of every material in it.
//
// The spectrum of a pixel p is
//
//	x(p) = light(p) * sum over classes c of a(c,p) * spectrum(c) + noise(p)
//
// The map gives the class of each pixel. The share a(c,p) is the part of class c in the square of
// Mixing x Mixing pixels around p: 1 within a patch, and mixed at its borders. light(p) is smooth,
// from 1-Illumination to 1+Illumination. The noise is Gaussian, with a given ratio of signal to
// noise and correlation of neighbouring bands.
//
// Each pixel depends only on the specification and its indices. So any block of a scene of any size
// can be generated separately, by any number of goroutines, always with the same bits.
package synth
