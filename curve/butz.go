package curve

import "math/bits"

// A state is the orientation of the Hilbert curve in a node, k bits and an angle, the zero value
// at the root. The algorithm is that of Butz (1971) with the inverse of Lawder, as in the
// thesis, section 5.4.2, under these names:
//
//	alpha        the point: one bit of each coordinate
//	omega        flip, the reflection
//	J1-1 + ...   turn, the rotation
//	sigma~       point ^ flip
//	sigma        sigma~ rotated left by turn, the Gray code of rho
//	rho          the key
//	tau          where the sub-curve of the child starts; tau~ is tau rotated back
//
// The position of an element is the keys of all levels, one after the other. The thesis' text
// has some slips, which its own example (two dimensions) does not show:
//
//   - Step 4 prints rho_j = sigma_j ^ sigma_(j-1); the inverse of the Gray code is
//     sigma_j ^ rho_(j-1). They differ from three dimensions on.
//   - Step 5 counts positions, and so J, from 0; the shift by J-1 in step 3 needs them counted
//     from 1. If all bits of rho are the same, its principal position is the last.
//   - Step 7 rotates tau the way of step 3; tau~ is tau rotated right. That is the
//     same in two dimensions only.
//   - The derived key is the concatenation of the rho, not of the tau~, and has k*m bits (the
//     text has n*m).
type state struct {
	flip uint
	turn int // in 0..k-1
}

// key returns the position of a child among its siblings.
func (s *state) key(point uint, k int) uint {
	return ungray(rotate(point^s.flip, s.turn, k), k)
}

// point is the inverse of key.
func (s *state) point(key uint, k int) uint {
	return rotate(gray(key), k-s.turn, k) ^ s.flip
}

// enter changes the state of a node to the state of the child with a key.
func (s *state) enter(key uint, k int) {
	principal := k - 1 // position 0 is the most significant bit
	if differ := (key ^ -(key & 1)) & (1<<k - 1); differ != 0 {
		principal = k - 1 - bits.TrailingZeros(differ)
	}
	tau := gray(key) ^ 1
	if bits.OnesCount(tau)%2 == 1 {
		tau ^= 1 << (k - 1 - principal)
	}
	s.flip ^= rotate(tau, k-s.turn, k)
	if s.turn += principal; s.turn >= k {
		s.turn -= k
	}
}

// rotate rotates a word of k bits left by n of 0..k.
func rotate(word uint, n, k int) uint {
	return (word<<n | word>>(k-n)) & (1<<k - 1)
}

// gray returns the word's reflected binary code.
func gray(word uint) uint { return word ^ word>>1 }

// ungray is the inverse of gray for a word of k bits.
func ungray(word uint, k int) uint {
	for n := 1; n < k; n *= 2 {
		word ^= word >> n
	}
	return word
}
