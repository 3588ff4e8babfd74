package main

import "fmt"

// rankedArray describes an array of the thesis' experiments, of two to seven dimensions. Chunks
// have about the same number of elements in every rank.
type rankedArray struct{ rank, edge, shortEdge, chunk int }

var rankedArrays = []rankedArray{{2, 4096, 1024, 256}, {3, 256, 96, 40}, {4, 64, 32, 16}, {5, 28, 16, 9}, {6, 16, 10, 6}, {7, 11, 7, 4}}

// uniform returns the same number for each dimension.
func uniform(rank, n int) []int {
	s := make([]int, rank)
	for d := range s {
		s[d] = n
	}
	return s
}

// randomAccess reads random elements of arrays that do not grow.
var randomAccess = experiment{
	name:   "random-access",
	title:  "Random elements of arrays without growth",
	figure: "6.4.1",
	plots: []plot{
		{metric: "disk", title: "Random elements on disk, page cache warm, no growth", x: "rank k", y: "time per element (ns)", logY: true, series: mainSeries()},
		{metric: "memory", title: "Random elements in memory, no growth", x: "rank k", y: "time per element (ns)", logY: true, series: mainSeries()},
	},
	run: runRandomAccess,
}

func runRandomAccess(l *lab, t *table) error {
	for _, a := range rankedArrays {
		shape, chunk := uniform(a.rank, pick(l, a.edge, a.shortEdge)), uniform(a.rank, a.chunk)
		for _, where := range []string{"disk", "memory"} {
			if err := randomOfRank(l, t, where, shape, chunk); err != nil {
				return err
			}
		}
	}
	for _, metric := range []string{"disk", "memory"} {
		t.bestOfPeers(metric)
	}
	return nil
}

// randomOfRank measures arrays of one shape, on disk or in memory.
func randomOfRank(l *lab, t *table, where string, shape, chunk []int) error {
	cs := l.present(drxDefault, drxBounded, hdf5Default, hdf5Cached, hdf5Bare, netcdfCached, netcdfBare, zarr, rowMajor, rowMap)
	args := []string{"n=" + pick(l, "1000", "100"), "size=" + commaed(uniform(len(shape), 1))}
	var err error
	if where == "disk" {
		if err = l.build(cs, "random", shape, chunk); err == nil {
			err = l.openAll(cs, "random", shape, chunk)
		}
	} else {
		cs = l.inMemory()
		for _, c := range cs {
			if err == nil {
				err = l.callUntimed(c, "create", "random", append(shapeArgs(shape, chunk), "memory=1")...)
			}
		}
	}
	if err != nil {
		return err
	}
	c := cell{metric: where, x: float64(len(shape)), unit: nanoseconds}
	if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant { return l.repeated(c, "read", args...) })...); err != nil {
		return fmt.Errorf("rank %d: %w", len(shape), err)
	}
	if err := l.peers.stopAll(); err != nil {
		return err
	}
	return l.remove(cs, "random")
}

// inMemory returns the competitors with arrays in memory: libhdf5 with its core driver, NetCDF with
// diskless files, zarr with a dict, C arrays, and DRX with all chunks in its cache.
func (l *lab) inMemory() []competitor {
	return l.present(drxDefault,
		hdf5Cached.with("hdf5 core, 1 GiB cache", "cache=1073741824"), hdf5Bare.with("hdf5 core, no cache"),
		netcdfBare.with("netcdf diskless"), zarr, rowMajor.with("row-major"))
}
