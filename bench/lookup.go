package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"drx/axial"
	"drx/bench/study/lookup"
)

// lookupFloor compares the structures for expansion records by one floor search.
var lookupFloor = experiment{
	name: "lookup-floor", title: "One floor search by structure",
	plots: []plot{
		{metric: "floor random", title: "Floor of random keys", x: "records", y: "ns", logX: true, logY: true},
		{metric: "floor local", title: "Floor of keys each beside the last", x: "records", y: "ns", logX: true, logY: true},
		{metric: "bucket random", title: "O2-tree, floor of random keys", x: "bucket size", y: "ns", logX: true},
		{metric: "bucket local", title: "O2-tree, floor of keys each beside the last", x: "bucket size", y: "ns", logX: true},
	},
	run: runLookupFloor,
}

// lookupRank compares F* over the structures with axial.Grid and a row-major address.
var lookupRank = experiment{
	name: "lookup-rank", title: "F* by structure",
	plots: []plot{
		{metric: "64 records", title: "F* of random chunks, 64 records", x: "rank", y: "ns"},
		{metric: "1024 records", title: "F* of random chunks, 1024 records", x: "rank", y: "ns"},
	},
	run: runLookupRank,
}

// lookupClaims checks the claims of table 4.1 of the thesis by counting.
var lookupClaims = experiment{
	name: "lookup-claims", title: "What table 4.1 of Nimako's thesis (2016) claims, counted",
	plots: []plot{
		{metric: "comparisons F*", title: "Comparisons of F*, cubical growth, rank 3", x: "elements", y: "comparisons", logX: true},
		{metric: "comparisons inverse", title: "Comparisons of the inverse, cubical growth, rank 3", x: "elements", y: "comparisons", logX: true},
		{metric: "storage", title: "Extra storage, cubical growth, rank 3", x: "elements", y: "bytes", logX: true, logY: true},
	},
	run: runLookupClaims,
}

const thesisBucket = 16 // bucket size of the O2-tree in experiments that do not vary it

func runLookupFloor(l *lab, t *table) error {
	for _, access := range []string{"random", "local"} {
		for _, n := range pick(l, []int{1, 4, 16, 64, 256, 1024, 4096, 16384}, []int{1, 64, 1024}) {
			if err := raceFloors(l, t, cell{metric: "floor " + access, x: float64(n), unit: nanoseconds}, access, n, lookup.Kinds(thesisBucket)); err != nil {
				return err
			}
		}
		for _, n := range []int{64, 1024, 16384} {
			for _, bucket := range pick(l, []int{2, 4, 8, 16, 32, 64, 128, 256, 512}, []int{2, 16, 128}) {
				o2 := lookup.Kind{Name: strconv.Itoa(n) + " records", New: func() lookup.Index { return lookup.NewO2(bucket) }}
				c := cell{metric: "bucket " + access, x: float64(bucket), unit: nanoseconds}
				if err := raceFloors(l, t, c, access, n, []lookup.Kind{o2}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// raceFloors races floor searches in structures of n records.
func raceFloors(l *lab, t *table, c cell, access string, n int, kinds []lookup.Kind) error {
	var entrants []entrant
	for _, k := range kinds {
		x := k.New()
		for i := range n {
			if err := x.Insert(lookup.Record{Start: 3 * i, Number: axial.Number(5 * i)}); err != nil {
				return err
			}
		}
		entrants = append(entrants, entrant{series: k.Name, run: func(seed uint64) (result, error) {
			keys, sum := lookupKeys(seed, 1<<16, 3*n, access == "local"), 0
			return timed(pick(l, 16, 4), len(keys), func() string {
				for _, key := range keys {
					r, _ := x.Floor(key)
					sum = sum*31 + r.Start
				}
				return strconv.Itoa(sum)
			}), nil
		}})
	}
	_, err := l.race(t, c, entrants...)
	return err
}

// timed runs a function that does ops operations: once to warm up, and then turns times.
func timed(turns, ops int, f func() string) result {
	f()
	var c clock
	check := ""
	c.begin()
	for range turns {
		check = f()
	}
	c.end(turns * ops)
	return result{wall: c.wall, cpu: c.cpu, ops: float64(c.ops), check: check}
}

// lookupKeys returns count keys in [0, n): random ones or, if local, each at most one away from the
// previous one.
func lookupKeys(seed uint64, count, n int, local bool) []int {
	rng := rand.New(rand.NewPCG(seed, 42))
	keys := make([]int, count)
	at := n / 2
	for i := range keys {
		if local {
			at = min(max(at+rng.IntN(3)-1, 0), n-1)
		} else {
			at = rng.IntN(n)
		}
		keys[i] = at
	}
	return keys
}

func runLookupRank(l *lab, t *table) error {
	for _, records := range []int{64, 1024} {
		for _, k := range pick(l, []int{2, 3, 4, 5, 6, 7}, []int{2, 5}) {
			side := 1 + records/k
			entrants, err := rankEntrants(l, k, side)
			if err != nil {
				return err
			}
			c := cell{metric: fmt.Sprintf("%d records", records), x: float64(k), unit: nanoseconds}
			if _, err := l.race(t, c, entrants...); err != nil {
				return err
			}
		}
	}
	return nil
}

// rankEntrants returns F* over every structure, the F* of axial.Grid, and the row-major address,
// for a cube of chunks with the given side.
func rankEntrants(l *lab, k, side int) ([]entrant, error) {
	enter := func(name string, limit bool, number func([]int) (axial.Number, bool)) entrant {
		return entrant{series: name, limit: limit, run: func(seed uint64) (result, error) {
			indices, sum := lookupKeys(seed, 1<<16, side, false), axial.Number(0)
			n := len(indices) / k * k
			r := timed(pick(l, 16, 4), n/k, func() string {
				for at := 0; at < n; at += k {
					q, _ := number(indices[at : at+k])
					sum = sum*31 + q
				}
				return strconv.FormatInt(int64(sum), 16)
			})
			if limit {
				r.check = "" // it computes other numbers
			}
			return r, nil
		}}
	}
	var entrants []entrant
	for _, kind := range lookup.Kinds(thesisBucket) {
		m, err := lookup.NewCubicalMap(kind.New, k, side)
		if err != nil {
			return nil, err
		}
		entrants = append(entrants, enter(kind.Name, false, m.Number))
	}
	g, err := cubicalGrid(k, side)
	if err != nil {
		return nil, err
	}
	flat := newFlatArray(slices.Repeat([]int{side}, k), 0)
	row := func(index []int) (axial.Number, bool) { return axial.Number(flat.number(index)), true }
	return append(entrants, enter("axial.Grid", false, g.Number), enter("row-major", true, row)), nil
}

// cubicalGrid is lookup.NewCubicalMap for an axial.Grid.
func cubicalGrid(k, side int) (*axial.Grid, error) {
	g, err := axial.New(make([]int, k), slices.Repeat([]int{1}, k))
	for i := 0; err == nil && i < k*(side-1); i++ {
		g, err = g.Extend((i+1)%k, 1, axial.High)
	}
	return g, err
}

// runLookupClaims grows cubes with one element per chunk and cubes with chunks of 8^3 elements. The
// outermost chunks extend 3 elements beyond the array's bounds.
func runLookupClaims(l *lab, t *table) error {
	const k, chunk, ghost = 3, 8, 3
	for _, rho := range pick(l, []int{1, 2, 4, 8, 16, 32, 64, 128}, []int{1, 4, 16}) {
		side := rho*chunk - ghost
		elements := math.Pow(float64(side), k)
		add := func(metric, series string, limit bool, value float64) {
			t.add(row{metric: metric, series: series, limit: limit, x: elements, value: value, low: value, high: value, reps: 1})
		}
		for _, kind := range lookup.Kinds(thesisBucket) {
			if err := claim(add, kind, kind.Name, k, side, 0); err != nil {
				return err
			}
			if kind.Name == "o2/16" {
				ghosts := math.Pow(float64(rho*chunk), k) - elements
				if err := claim(add, kind, "o2/16, chunked", k, rho, 8*ghosts); err != nil {
					return err
				}
			}
		}
		add("comparisons F*", "log₂ N", true, math.Log2(elements))
		add("comparisons inverse", "log₂ N", true, math.Log2(elements))
		add("storage", "k² words × side", true, 8*k*k*float64(side))
	}
	return nil
}

// claim adds the mean number of comparisons of F* and its inverse over random chunks of a map of
// side^k chunks, and its storage plus the extra bytes.
func claim(add func(metric, series string, limit bool, value float64), kind lookup.Kind, series string, k, side int, extra float64) error {
	const samples = 2000
	m, err := lookup.NewCubicalMap(kind.New, k, side)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, uint64(side)))
	floors, inverses := 0, 0
	index := make([]int, k)
	for range samples {
		n, _ := m.CountInverse(axial.Number(rng.Int64N(int64(m.Chunks()))), index)
		inverses += n
		_, n, _ = m.Count(index)
		floors += n
	}
	add("comparisons F*", series, false, float64(floors)/samples)
	add("comparisons inverse", series, false, float64(inverses)/samples)
	add("storage", series, false, float64(m.Bytes())+extra)
	return nil
}
