package main

import "slices"

// The values and random numbers of all peers. peers/common.c, peers/peer.c and peers/zarr_peer.py
// have the same functions.

// maxRank is the highest rank of an experiment.
const maxRank = 8

var primes = [maxRank]uint64{7919, 104729, 1299709, 15485863, 32452843, 49979687, 67867967, 86028121}

// valueModulus bounds the values, so that the sum of a whole array is exact in a float64.
const valueModulus = 1000003

// valueAt returns the value of the element at an index: the sum of the components, each times the
// prime of its dimension, modulo valueModulus.
func valueAt(at []int) uint64 {
	var v uint64
	for d, i := range at {
		v += uint64(i) * primes[d]
	}
	return v % valueModulus
}

// box is a section: size indices from lo on, per dimension.
type box struct{ lo, size []int }

// fillBox fills buf with the values of a box in row-major order.
func fillBox(b box, buf []float64) {
	last := len(b.lo) - 1
	at := slices.Clone(b.lo)
	step := primes[last] % valueModulus
	for range volume(b.size[:last]) {
		v := valueAt(at)
		for i := range buf[:b.size[last]] {
			buf[i] = float64(v)
			if v += step; v >= valueModulus {
				v -= valueModulus
			}
		}
		buf = buf[b.size[last]:]
		for d := last - 1; d >= 0; d-- {
			if at[d]++; at[d] < b.lo[d]+b.size[d] {
				break
			}
			at[d] = b.lo[d]
		}
	}
}

// volume returns the number of elements.
func volume(size []int) int {
	v := 1
	for _, n := range size {
		v *= n
	}
	return v
}

// mix returns the random number for a seed, a position in a sequence and a dimension, by the last
// steps of SplitMix64.
func mix(seed, i, d uint64) uint64 {
	z := seed*0x9E3779B97F4A7C15 + i*0xBF58476D1CE4E5B9 + d*0x94D049BB133111EB
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// starts fills at with the low corners of random boxes, rank numbers each. They are multiples of
// align.
func starts(seed uint64, shape, size []int, align int, at []int) {
	rank := len(shape)
	for i := range at {
		d := i % rank
		positions := uint64((shape[d]-size[d])/align + 1)
		at[i] = int(mix(seed, uint64(i/rank), uint64(d))%positions) * align
	}
}

// weightedSum returns a sum that depends on the order of the values.
func weightedSum(buf []float64) uint64 {
	var sum uint64
	for i, v := range buf {
		sum += uint64(v) * uint64(i%1009+1)
	}
	return sum
}
