package main

import "fmt"

// orders reads all elements in the order in which they are stored, and in the transposed order.
var orders = experiment{
	name:   "orders",
	title:  "All elements in stored and in transposed order",
	figure: "6.4.5 and 6.4.6",
	plots: []plot{
		{metric: "stored", title: "All elements, line by line along the last dimension", x: "rank k", y: "time per line (µs)", logY: true, series: mainSeries()},
		{metric: "transposed", title: "All elements, line by line along the first dimension", x: "rank k", y: "time per line (µs)", logY: true, series: mainSeries()},
		{metric: "stored, single", title: "Element by element along the last dimension", x: "rank k", y: "time per element (ns)", logY: true, series: mainSeries()},
		{metric: "transposed, single", title: "Element by element along the first dimension", x: "rank k", y: "time per element (ns)", logY: true, series: mainSeries()},
	},
	run: runOrders,
}

func runOrders(l *lab, t *table) error {
	for _, a := range []rankedArray{{2, 4096, 1024, 256}, {3, 160, 64, 40}, {4, 40, 20, 10}} {
		if err := ordersOfRank(l, t, uniform(a.rank, pick(l, a.edge, a.shortEdge)), uniform(a.rank, a.chunk)); err != nil {
			return err
		}
	}
	for _, metric := range []string{"stored", "transposed", "stored, single", "transposed, single"} {
		t.bestOfPeers(metric)
	}
	return nil
}

func ordersOfRank(l *lab, t *table, shape, chunk []int) error {
	cs := l.present(drxDefault, drxBounded, hdf5Default, hdf5Cached, hdf5Bare, netcdfCached, netcdfBare, zarr, rowMajor, rowMap)
	if err := l.build(cs, "orders", shape, chunk); err != nil {
		return err
	}
	if err := l.openAll(cs, "orders", shape, chunk); err != nil {
		return err
	}
	rank := len(shape)
	for _, w := range []struct {
		metric   string
		dim      int
		elements int
		n        int
		unit     unit
	}{
		{"stored", rank - 1, 0, volume(shape), microseconds},
		{"transposed", 0, 0, volume(shape), microseconds},
		{"stored, single", rank - 1, 1, pick(l, 20000, 400), nanoseconds},
		{"transposed, single", 0, 1, pick(l, 20000, 1000), nanoseconds},
	} {
		if l.short {
			w.n = min(w.n, 400)
		}
		args := []string{fmt.Sprintf("dim=%d", w.dim), fmt.Sprintf("elements=%d", w.elements), fmt.Sprintf("n=%d", w.n)}
		es := entrants(cs, func(c competitor) entrant { return l.simple(c, "scan", "orders", args...) })
		if _, err := l.race(t, cell{metric: w.metric, x: float64(rank), unit: w.unit}, es...); err != nil {
			return err
		}
	}
	if err := l.peers.stopAll(); err != nil {
		return err
	}
	return l.remove(cs, "orders")
}
