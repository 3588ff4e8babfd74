//go:build !mpi

package main

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
)

// TestMatmulAgrees: apps/matmul and every installed peer compute the product, with columns that B gets in between.
func TestMatmulAgrees(t *testing.T) {
	needMPI(t)
	l := testLab(t)
	const n, by = 128, 256
	var want uint64
	for k := range n {
		var column, row uint64
		for i := range n {
			column += valueAt([]int{i, k})
		}
		for j := range n + by {
			row += valueAt([]int{k, j})
		}
		want += column * row
	}
	for _, c := range l.present(mulDRX, mulHDF5, mulRaw, mulDRA) {
		run := func() (result, error) { return l.matmulPeer(c, n, []int{by}) }
		if c.program == mulDRX.program {
			run = func() (result, error) { return l.matmul(n, []int{by}) }
		}
		if r, err := run(); err != nil || r.check != strconv.FormatUint(want, 10) || r.wall <= 0 {
			t.Errorf("%s: %v, check %s, want %d, %v", c.series, r.wall, r.check, want, err)
		}
	}
	if err := l.peers.missing[mulDRX.program]; err != nil {
		t.Errorf("MPI is there, but: %v", err)
	}
}

// TestExtensions: B grows by whole chunks of each process, at random, the same for all programs of a repetition.
func TestExtensions(t *testing.T) {
	different := map[string]bool{}
	for seed := range uint64(10) {
		by := extensions("growing", seed)
		for _, n := range by {
			if n < 2*matmulChunk || n > 8*matmulChunk || n%(2*matmulChunk) != 0 {
				t.Errorf("seed %d: %v", seed, by)
			}
		}
		if len(by) != 4 || !slices.Equal(by, extensions("growing", seed)) {
			t.Errorf("seed %d: %v, and then %v", seed, by, extensions("growing", seed))
		}
		different[fmt.Sprint(by)] = true
	}
	if len(different) < 5 || extensions("product", 1) != nil {
		t.Errorf("only %d different ones", len(different))
	}
}

// TestMatmulTargets: those with a target have memory for a quarter of the matrices, and there are some.
func TestMatmulTargets(t *testing.T) {
	places := map[string]int{}
	for _, g := range matmulTargets() {
		places[g.place]++
		n, err := strconv.Atoi(g.place)
		if err != nil || 4*matmulMemory(n) != 3*8*n*n {
			t.Errorf("%s: %d bytes of memory", g.place, matmulMemory(n))
		}
	}
	if len(places) != 4 || places["2048"] != 2 || places["6144"] != 2 {
		t.Error(places)
	}
}
