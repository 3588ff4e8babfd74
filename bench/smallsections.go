package main

// smallSections reads sections of an array that fits HDF5's chunk cache. No time goes into reading
// files, so it measures the work per call, per chunk and per line.
var smallSections = experiment{
	name:  "sections-small",
	title: "Sections of a 32 MiB array in memory, chunks of 512 KiB",
	plots: []plot{
		{
			metric: "hot", title: "Reading sections of a 32 MiB array that is in memory", x: "section (elements of 8 bytes)", y: "time per section (µs)", logY: true,
			series: []string{"drx", "hdf5 best", copyPieces.series, copyPlain.series},
		},
		{
			metric: "ratio", title: "Reading sections of a 32 MiB array, times as long as DRX", x: "section (elements of 8 bytes)", y: "time / time of DRX", logY: true,
			series: []string{"hdf5 best", copyPieces.series, copyPlain.series},
		},
	},
	run: runSmallSections,
}

// smallKinds returns the sections for a square array of the given edge. None is aligned to chunks.
func smallKinds(edge int) []sectionKind {
	square := func(column string, n, perRound int) sectionKind {
		return sectionKind{column: column, size: []int{n, n}, align: 1, order: "row", n: perRound}
	}
	return []sectionKind{
		square("8x8", 8, 500),
		square("64x64", 64, 300),
		square("256x256", 256, 100),
		square("1024x1024", 1024, 10),
		{column: "one column", size: []int{edge, 1}, align: 1, order: "row", n: 50},
	}
}

// runSmallSections has no smaller size for a short run, as the array must contain the largest
// section.
func runSmallSections(l *lab, t *table) error {
	const edge = 2048
	shape, chunk := []int{edge, edge}, []int{256, 256}
	cs := l.present(drxDefault, hdf5Default, hdf5Cached, hdf5Bare, copyPieces, copyPlain)
	if err := l.buildAndOpen(cs, "small", shape, chunk); err != nil {
		return err
	}
	for _, k := range smallKinds(edge) {
		c := cell{metric: "hot", column: k.column, unit: microseconds}
		if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant { return l.repeated(c, "read", k.args()...) })...); err != nil {
			return err
		}
	}
	t.best("hot", "hdf5")
	t.divide("hot", "ratio", drxDefault.series)
	return l.remove(cs, "small")
}
