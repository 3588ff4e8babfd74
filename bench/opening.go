package main

// opening opens arrays of different sizes and reads one element.
var opening = experiment{
	name:  "opening",
	title: "Opening an array and reading one element",
	plots: []plot{{metric: "reopen", x: "size of the array (MiB)", y: "time (µs)", logX: true, logY: true}},
	run:   runOpening,
}

func runOpening(l *lab, t *table) error {
	cs := l.present(drxDefault, hdf5Default, hdf5Cached, hdf5Bare, netcdfBare, zarr, rowMajor, rowMap)
	for _, edge := range pick(l, []int{256, 1024, 4096, 11520}, []int{256, 1024}) {
		shape, chunk := uniform(2, edge), uniform(2, 256)
		if err := l.build(cs, "opening", shape, chunk); err != nil {
			return err
		}
		c := cell{metric: "reopen", x: float64(8*edge*edge) / (1 << 20), unit: microseconds}
		es := entrants(cs, func(c competitor) entrant { return l.simple(c, "reopen", "opening", "n=20") })
		if _, err := l.race(t, c, es...); err != nil {
			return err
		}
		if err := l.remove(cs, "opening"); err != nil {
			return err
		}
	}
	t.best("reopen", "hdf5")
	return nil
}
