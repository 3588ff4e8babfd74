//go:build !mpi

package main

import (
	"slices"
	"strconv"
	"testing"
)

// TestMatmulAgrees: apps/matmul and every installed peer must compute the product, with rows,
// columns and inner indices that A and B get in between, and apps/matmul also if it gets them while
// it computes.
func TestMatmulAgrees(t *testing.T) {
	needMPI(t)
	l := testLab(t)
	const n = 128
	es := []extension{{columnsOfB, 37}, {innerIndices, 5}, {rowsOfA, 2}, {innerIndices, 100}, {columnsOfB, 64}, {rowsOfA, 91}}
	size := [3]int{n, n, n}
	for _, e := range es {
		size[e.dim] += e.by
	}
	var want uint64
	for k := range size[innerIndices] {
		var column, row uint64
		for i := range size[rowsOfA] {
			column += valueAt([]int{i, k})
		}
		for j := range size[columnsOfB] {
			row += valueAt([]int{k, j})
		}
		want += column * row
	}
	agree := func(series string, r result, err error) {
		if err != nil || r.check != strconv.FormatUint(want, 10) || r.wall <= 0 {
			t.Errorf("%s: %v, check %s, want %d, %v", series, r.wall, r.check, want, err)
		}
	}
	for _, c := range l.present(mulHDF5, mulRaw, mulDRA) {
		r, err := l.matmulPeer(c, n, es)
		agree(c.series, r, err)
	}
	if !l.peers.has(mulDRX) {
		t.Fatalf("MPI is there, but: %v", l.peers.missing[mulDRX.program])
	}
	r, err := l.matmul(n, es, false)
	agree("drx-mp", r, err)
	for try := 1; ; try++ { // on a busy machine all extensions may come too late
		r, s, err := l.matmulSessions(n, es, true)
		agree("drx-mp, during a session", r, err)
		if s.first > n*n*n {
			break
		}
		if try == 20 {
			t.Fatal("no session has multiplied what came while it was computing")
		}
	}
}

// TestMatmulExtensions: the extensions must be the same for all programs of a repetition, and
// others in another repetition; all dimensions must occur.
func TestMatmulExtensions(t *testing.T) {
	different, dims := map[string]bool{}, map[int]bool{}
	for seed := range uint64(10) {
		es := matmulExtensions(seed)
		for _, e := range es {
			if dims[e.dim] = true; e.dim < 0 || e.dim > 2 || e.by < 2 || e.by > 100 {
				t.Errorf("seed %d: %v", seed, es)
			}
		}
		if len(es) != matmulSteps || !slices.Equal(es, matmulExtensions(seed)) {
			t.Errorf("seed %d: %v, and then %v", seed, es, matmulExtensions(seed))
		}
		different[steps(es)] = true
	}
	if len(different) < 5 || len(dims) != 3 {
		t.Errorf("%d different ones of %d dimensions", len(different), len(dims))
	}
}

// TestMatmulTargets: some sizes must have a target, and these must have memory for a quarter of the
// matrices.
func TestMatmulTargets(t *testing.T) {
	columns := map[string]int{}
	for _, g := range matmulTargets() {
		columns[g.column]++
		n, err := strconv.Atoi(g.column)
		if err != nil || 4*matmulMemory(n) != 3*8*n*n {
			t.Errorf("%s: %d bytes of memory", g.column, matmulMemory(n))
		}
	}
	if len(columns) != 4 || columns["2048"] != 2 || columns["6144"] != 2 {
		t.Error(columns)
	}
}
