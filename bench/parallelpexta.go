package main

import (
	"errors"
	"fmt"
	"slices"
)

// Two experiments of chapter 8 of Nimako's thesis, in two dimensions: sections that begin at chunk
// boundaries, or not, for various numbers of processes; and growth of all dimensions in turn, with
// a write after each step.

// parallelSections repeats figures 8.5.1 and 8.5.2.
var parallelSections = experiment{
	name:   "mp-sections",
	title:  "Aligned and unaligned sections, written and read",
	figure: "8.5.1, 8.5.2",
	plots:  sectionPlots,
	run:    runParallelSections,
}

var sectionPlots = []plot{
	pextaPlot("aligned write", "Write of a section that begins at (0, 0)"),
	pextaPlot("unaligned write", "Write of a section that begins at (1, 1)"),
	pextaPlot("aligned read", "Read of a section that begins at (0, 0), page cache warm"),
	pextaPlot("unaligned read", "Read of a section that begins at (1, 1), page cache warm"),
}

// parallelCubical repeats figure 8.5.3.
var parallelCubical = experiment{
	name:   "mp-cubical",
	title:  "Growth of all dimensions in turn, written",
	figure: "8.5.3",
	plots:  []plot{pextaPlot("round", "1024 columns, then 1024 rows, and so on added to 8192 x 8192 and written, per round")},
	run:    runParallelCubical,
}

// pextaPlot draws the series that the thesis compares, PEXTA, DRA and parallel HDF5, and DRX-MP
// from Go.
func pextaPlot(metric, title string) plot {
	series := []string{mpPEXTA.series, mpDirect.series, mpDRA.series + " best", mpHDF5.series + " best"}
	return plot{metric: metric, title: title, x: "processes", y: "time (ms)", logY: true, bars: true, series: series}
}

// pextaJobs returns the competitors of these experiments that are installed.
func (l *lab) pextaJobs() []competitor {
	return l.presentJobs(mpPEXTA, mpDirect, mpDRA, mpDRAOne, mpHDF5, mpHDF5Alone)
}

func bestOfPextaPeers(t *table, metric string) {
	t.best(metric, mpDRA.series)
	t.best(metric, mpHDF5.series)
}

func runParallelSections(l *lab, t *table) error {
	shape := pick(l, []int{16384, 8192}, []int{4096, 2048})
	for _, procs := range l.procCounts() {
		for offset, kind := range []string{"aligned", "unaligned"} {
			reads := map[string][]result{}
			args := append(shapeArgs(shape, uniform(2, 256)), "grid="+blocks(procs), fmt.Sprint("offset=", offset))
			es := entrants(l.pextaJobs(), func(c competitor) entrant {
				return entrant{series: c.series, run: func(uint64) (result, error) {
					rs, err := l.jobSession(c, procs, append([]string{"write-section"}, args...), append([]string{"read-section"}, args...))
					if err != nil {
						return result{}, err
					}
					rs[0].check = rs[1].check
					reads[c.series] = append(reads[c.series], rs[1])
					return rs[0], nil
				}}
			})
			if _, err := l.race(t, parallelCell(kind+" write", procs), es...); err != nil {
				return err
			}
			l.record(t, parallelCell(kind+" read", procs), es, reads)
		}
	}
	for _, p := range sectionPlots {
		bestOfPextaPeers(t, p.metric)
	}
	return nil
}

// jobSession is session for an array in the scratch folder, which it then removes.
func (l *lab) jobSession(c competitor, procs int, requests ...[]string) ([]result, error) {
	if err := l.touchMemoryForJob(); err != nil {
		return nil, err
	}
	return l.smallJobSession(c, procs, requests...)
}

// smallJobSession is jobSession for arrays that need no memory from the host.
func (l *lab) smallJobSession(c competitor, procs int, requests ...[]string) ([]result, error) {
	path := l.path(c, "mp")
	for i := range requests {
		requests[i] = append(slices.Clip(requests[i]), "path="+path)
	}
	rs, err := l.peers.session(c, procs, requests...)
	return rs, errors.Join(err, removeStore(path))
}

// jobRequest is jobSession for one request.
func (l *lab) jobRequest(c competitor, procs int, request []string) (result, error) {
	rs, err := l.jobSession(c, procs, request)
	if err != nil {
		return result{}, err
	}
	return rs[0], nil
}

// runParallelCubical assigns a part of the rows to each process, and a part of the columns of new
// rows.
func runParallelCubical(l *lab, t *table) error {
	shape, steps := pick(l, []int{8192, 8192}, []int{2048, 2048}), pick(l, "1:1024,0:1024,1:1024,0:1024,1:1024,0:1024", "1:1024,0:1024")
	for _, procs := range l.procCounts() {
		es := entrants(l.pextaJobs(), func(c competitor) entrant {
			return entrant{series: c.series, run: func(uint64) (result, error) {
				rs, err := l.jobSession(c, procs, append([]string{
					"extend", "steps=" + steps, fmt.Sprintf("grid=%d,1", procs),
				}, shapeArgs(shape, uniform(2, 256))...))
				if err != nil {
					return result{}, err
				}
				return rs[0], nil
			}}
		})
		if _, err := l.race(t, parallelCell("round", procs), es...); err != nil {
			return err
		}
	}
	bestOfPextaPeers(t, "round")
	return nil
}

// pextaSectionTargets are the targets of sections and of growth in turn, also compared with DRX-MP
// from Go.
func pextaSectionTargets() []target {
	var all []target
	dra := mpDRA.series + " best"
	for _, column := range []string{"1", "2", "4"} {
		for _, p := range sectionPlots {
			beside := target{
				work: "pexta, " + p.metric + ", procs: " + column, experiment: parallelSections.name, metric: p.metric, column: column,
				series: mpPEXTA.series,
			}
			beside.reference, beside.least = dra, leastOverDRA[column]
			all = append(all, beside)
			beside.reference, beside.least = mpDirect.series, leastOverGo
			all = append(all, beside)
		}
		all = append(all, target{
			work: "pexta, growth in turn, procs: " + column, experiment: parallelCubical.name, metric: "round", column: column,
			series: mpPEXTA.series, reference: dra, least: 10,
		})
	}
	return all
}

// leastOverDRA is the required speed of PEXTA as a multiple of DRA's, for each number of processes,
// and leastOverGo as a multiple of the speed of DRX-MP from Go.
var leastOverDRA = map[string]float64{"1": 1, "2": 1, "4": 1.5}

const leastOverGo = 1 / 1.3
