package curve

import (
	"slices"
	"testing"
)

// A slip is a sentence of the thesis, section 5.4.2, taken as printed.
type slip struct {
	gray    bool // step 4: the exclusive-or with the bit of sigma before, not of rho
	counted bool // step 5: positions counted from 0, so that the shift of step 3 is by J-1 from 0
	turned  bool // step 7: tau rotated left, as sigma~ is
	key     bool // the end: the tau~ are the key, not the rho
}

// literal follows the steps of section 5.4.2, bit by bit in slices with position 0 first, for the
// element of a cube of side 2^m. It shares no code with the package.
func literal(index []int, m int, s slip) int {
	k := len(index)
	left := func(w []int, n int) []int {
		n = (n%k + k) % k
		return append(slices.Clone(w[n:]), w[:n]...)
	}
	omega, tauBack := make([]int, k), make([]int, k)
	shift, position := 0, 0
	for eta := m - 1; eta >= 0; eta-- {
		sigmaTilde, rho := make([]int, k), make([]int, k)
		for j := range k {
			omega[j] ^= tauBack[j]                     // 1
			sigmaTilde[j] = index[j]>>eta&1 ^ omega[j] // 2
		}
		sigma := left(sigmaTilde, shift) // 3
		for j := range k {               // 4
			rho[j] = sigma[j]
			if j > 0 && s.gray {
				rho[j] ^= sigma[j-1]
			} else if j > 0 {
				rho[j] ^= rho[j-1]
			}
		}
		principal := k - 1 // 5
		for j := range k {
			if rho[j] != rho[k-1] {
				principal = j
			}
		}
		tau, parity := slices.Clone(sigma), 0 // 6
		tau[k-1] ^= 1
		for _, bit := range tau {
			parity ^= bit
		}
		tau[principal] ^= parity
		if tauBack = left(tau, -shift); s.turned { // 7
			tauBack = left(tau, shift)
		}
		if shift += principal; s.counted {
			shift--
		}
		digits := rho
		if s.key {
			digits = tauBack
		}
		for _, bit := range digits {
			position = position<<1 | bit
		}
	}
	return position
}

// TestButzByTheSteps: the corrected steps give the positions of Hilbert, and the element of the
// thesis' example its position. As printed they give no Hilbert curve: two of the slips in two
// dimensions too, all of them in three and four.
func TestButzByTheSteps(t *testing.T) {
	if got := literal([]int{5, 3}, 3, slip{}); got != 52 {
		t.Errorf("position of (5, 3) by the steps is %d, want 52", got)
	}
	for _, c := range []struct {
		slip slip
		same []bool // as Hilbert, in 2, 3 and 4 dimensions
	}{
		{slip{}, []bool{true, true, true}},
		{slip{gray: true}, []bool{true, false, false}},
		{slip{counted: true}, []bool{false, false, false}},
		{slip{turned: true}, []bool{true, false, false}},
		{slip{key: true}, []bool{false, false, false}},
	} {
		for i, want := range c.same {
			if got := agrees(t, i+2, 3, c.slip); got != want {
				t.Errorf("%+v in %d dimensions is the Hilbert curve: %v, want %v", c.slip, i+2, got, want)
			}
		}
	}
	for k := 5; k <= 7; k++ {
		if !agrees(t, k, 2, slip{}) {
			t.Errorf("the steps in %d dimensions differ from Hilbert", k)
		}
	}
}

// agrees reports whether the steps give the positions of Hilbert in a whole cube.
func agrees(t *testing.T, k, m int, s slip) bool {
	o, err := Hilbert(slices.Repeat([]int{1 << m}, k))
	if err != nil {
		t.Fatal(err)
	}
	index := make([]int, k)
	for q := range o.Len() {
		o.Index(q, index)
		if literal(index, m, s) != q {
			return false
		}
	}
	return true
}

// TestState: key and point are inverses in every state that occurs, and the states are as many
// as the nodes of the tree.
func TestState(t *testing.T) {
	for k := 2; k <= maxTreeRank; k++ {
		visited := map[state]bool{{}: true}
		for todo := []state{{}}; len(todo) > 0; {
			s := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for key := range uint(1 << k) {
				point := s.point(key, k)
				if point >= 1<<k || s.key(point, k) != key {
					t.Fatalf("%d dimensions, %+v: key %b has point %b, which has key %b", k, s, key, point, s.key(point, k))
				}
				child := s
				if child.enter(key, k); !visited[child] {
					visited[child] = true
					todo = append(todo, child)
				}
			}
		}
		if nodes := len(grow(k)); len(visited) != nodes || nodes != k<<(k-1) {
			t.Errorf("%d dimensions: %d states, %d nodes, want %d", k, len(visited), nodes, k<<(k-1))
		}
	}
}

func TestGray(t *testing.T) {
	for k := 1; k <= 10; k++ {
		for w := range uint(1 << k) {
			if got := ungray(gray(w), k); got != w {
				t.Errorf("%b of %d bits comes back from the Gray code as %b", w, k, got)
			}
			for n := range k + 1 {
				if got := rotate(rotate(w, n, k), k-n, k); got != w {
					t.Errorf("%b of %d bits comes back from a turn by %d as %b", w, k, n, got)
				}
			}
		}
	}
}
