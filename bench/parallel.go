package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drx/internal/mapped"
)

// parallelExperiments lists the experiments of DRX-MP. Each has an array of float64 in chunks of
// 512 KiB, distributed over 1, 2 and 4 processes.
var parallelExperiments = []experiment{
	parallelMoves, parallelGrowth, parallelSections, parallelCubical, parallelMatmul, trajectories, flows, parallelCodecs,
	simulation,
}

// parallelMoves writes and reads an array. Each process has its own zone.
var parallelMoves = experiment{
	name:  "mp-collective",
	title: "Collective write and read of 1 GiB, BLOCK x BLOCK",
	plots: []plot{
		parallelPlot("write", "Collective write of 1 GiB: create, write, close"),
		parallelPlot("first read", "Collective read of 1 GiB, page cache warm: open, read, close"),
		parallelPlot("read", "Collective read of 1 GiB, warm"),
	},
	run: runParallelMoves,
}

// parallelGrowth adds columns to an array.
var parallelGrowth = experiment{
	name:  "mp-growth",
	title: "Growth of a non-leading dimension by 256 columns, written",
	plots: []plot{parallelPlot("round", "256 columns added to 8192 x 8192 and written, per round")},
	run:   runParallelGrowth,
}

func parallelPlot(metric, title string) plot {
	series := []string{mpDirect.series, mpCollective.series, mpPEXTA.series}
	for _, c := range parallelFamilies {
		series = append(series, c.series+" best")
	}
	return plot{metric: metric, title: title, x: "processes", y: "time (ms)", logY: true, bars: true, series: append(series, mpChunks.series)}
}

// parallelFamilies lists the peers with several settings. Plots show the best setting of each.
var parallelFamilies = []competitor{mpHDF5, mpHDF5Share, mpPnetCDF, mpRaw, mpDRA}

// bestOfParallelPeers adds the best setting of each peer, and the fastest peer.
func (t *table) bestOfParallelPeers(metric string) {
	for _, c := range parallelFamilies {
		t.best(metric, c.series)
	}
	t.leastOf(metric, fastestPeer, isPeer)
	t.leastOf(metric, fastestLasting, func(series string) bool { return isPeer(series) && !boundToProcs(series) })
}

// procCounts returns the numbers of processes, which are the columns of all metrics.
func (l *lab) procCounts() []int { return pick(l, []int{1, 2, 4}, []int{4}) }

// presentJobs returns the competitors that are installed. A short run leaves out two that differ
// from others only in a setting.
func (l *lab) presentJobs(cs ...competitor) []competitor {
	return slices.DeleteFunc(l.present(cs...), func(c competitor) bool {
		return l.short && (c.series == mpGoroutines.series || c.series == mpDRAOne.series)
	})
}

// blocks returns the grid of processes as an argument.
func blocks(procs int) string { return map[int]string{1: "1,1", 2: "2,1", 4: "2,2"}[procs] }

// parallelMetrics lists the results of one session of runParallelMoves, in this order.
var parallelMetrics = []string{"write", "first read", "read"}

func runParallelMoves(l *lab, t *table) error {
	shape := pick(l, []int{16384, 8192}, []int{4096, 2048})
	cs := l.presentJobs(mpDirect, mpCollective, mpGoroutines, mpHDF5, mpHDF5Alone, mpHDF5Share, mpHDF5Own,
		mpPnetCDF, mpPnetCDFAlone, mpRaw, mpRawAlone, mpDRA, mpDRAOne, mpPEXTA, mpChunks, mpRows)
	for _, procs := range l.procCounts() {
		if err := l.raceInParallel(t, cs, procs, shape); err != nil {
			return err
		}
	}
	for _, metric := range parallelMetrics {
		t.bestOfParallelPeers(metric)
	}
	return nil
}

// raceInParallel lets competitors write and read arrays of a shape with some processes, and records
// all parallelMetrics.
func (l *lab) raceInParallel(t *table, cs []competitor, procs int, shape []int) error {
	reads := map[string]map[string][]result{"first read": {}, "read": {}}
	es := entrants(cs, func(c competitor) entrant {
		return entrant{series: c.series, limit: c.limit, run: func(uint64) (result, error) {
			rs, err := l.writeAndRead(c, procs, append(shapeArgs(shape, uniform(2, 256)), "grid="+blocks(procs)))
			if err != nil {
				return result{}, err
			}
			for i, metric := range parallelMetrics[1:] {
				reads[metric][c.series] = append(reads[metric][c.series], rs[i+1])
			}
			return rs[0], nil
		}}
	})
	if _, err := l.race(t, parallelCell("write", procs), es...); err != nil {
		return err
	}
	for _, metric := range parallelMetrics[1:] {
		l.record(t, parallelCell(metric, procs), es, reads[metric])
	}
	return nil
}

func parallelCell(metric string, procs int) cell {
	return cell{metric: metric, column: strconv.Itoa(procs), unit: milliseconds}
}

// writeAndRead runs one session: it writes a new array, reads it, and reads it again. Both reads
// must return the same values. The result of the write gets the check of the read, so that race
// compares it.
func (l *lab) writeAndRead(c competitor, procs int, args []string) ([]result, error) {
	with := func(verb string, more ...string) []string {
		return append(append([]string{verb}, more...), args...)
	}
	rs, err := l.jobSession(c, procs, with("write"), with("read"), with("read", "again=1"))
	if err != nil {
		return nil, err
	}
	if rs[1].check != rs[2].check {
		return nil, fmt.Errorf("read %s, and then %s", rs[1].check, rs[2].check)
	}
	rs[0].check = rs[1].check
	return rs, nil
}

// touchMemoryForJob is touchMemory for twice the memory of all processes of a job and of the page
// cache of its file: the system returns part of freed memory only in small blocks.
func (l *lab) touchMemoryForJob() error { return touchMemory(min(4*l.parallelBytes(), mapped.RAM()/4)) }

// parallelBytes returns the size of the arrays.
func (l *lab) parallelBytes() int64 { return pick[int64](l, 1<<30, 1<<26) }

// runParallelGrowth assigns a fixed part of the rows to each process, so that each has a part of
// the new columns.
func runParallelGrowth(l *lab, t *table) error {
	shape := pick(l, []int{8192, 8192}, []int{2048, 4096})
	cs := l.presentJobs(mpDirect, mpCollective, mpGoroutines, mpHDF5, mpHDF5Alone,
		mpPnetCDF, mpPnetCDFAlone, mpRaw, mpRawAlone, mpDRA, mpDRAOne, mpPEXTA, mpChunks)
	for _, procs := range l.procCounts() {
		es := entrants(cs, func(c competitor) entrant {
			return entrant{series: c.series, limit: c.limit, run: func(uint64) (result, error) {
				request := append([]string{"grow", "by=256", "rounds=" + pick(l, "4", "2"), fmt.Sprintf("grid=%d,1", procs)},
					shapeArgs(shape, uniform(2, 256))...)
				return l.jobRequest(c, procs, request)
			}}
		})
		if _, err := l.race(t, parallelCell("round", procs), es...); err != nil {
			return err
		}
	}
	t.bestOfParallelPeers("round")
	t.leastOf("round", fastestRewriter, func(series string) bool { return isPeer(series) && !strings.HasPrefix(series, "hdf5") })
	return nil
}

// The series of the best of several peers.
const (
	fastestPeer = "fastest peer"
	// the fastest peer whose layout does not depend on the number of processes
	fastestLasting  = "fastest peer with one layout"
	fastestRewriter = "fastest that rewrites"
)

// boundToProcs reports whether the file layout of a peer is for one number of processes, with the
// block of each process in one piece.
func boundToProcs(series string) bool {
	return strings.HasPrefix(series, mpHDF5Share.series) || series == mpDRA.series
}

// isPeer reports whether a series was measured with a peer: it is neither ours, nor a limit, nor
// the best of several.
func isPeer(series string) bool {
	ours, limit := strings.HasPrefix(series, mpDirect.series) || series == mpPEXTA.series, series == mpChunks.series || series == mpRows.series
	return !ours && !limit && !strings.HasPrefix(series, "fastest") && !strings.HasSuffix(series, " best")
}

// parallelTargets returns the targets of DRX-MP.
func parallelTargets() []target {
	var all []target
	add := func(work string, e experiment, metric, column, reference string, least float64) {
		all = append(all, target{
			work: work + ", procs: " + column, experiment: e.name, metric: metric, column: column,
			series: mpDirect.series, reference: reference, least: least,
		})
	}
	for _, metric := range parallelMetrics {
		for _, column := range []string{"1", "2", "4"} {
			add(metric, parallelMoves, metric, column, mpChunks.series, 0.8)
		}
		for _, reference := range []string{fastestPeer, fastestLasting} {
			add(metric, parallelMoves, metric, "4", reference, 1.5)
		}
		for _, c := range []competitor{mpHDF5, mpHDF5Share} {
			add(metric, parallelMoves, metric, "4", c.series+" best", 3)
		}
	}
	for _, column := range []string{"1", "2", "4"} {
		add("growth", parallelGrowth, "round", column, fastestRewriter, 10)
	}
	return slices.Concat(all, pextaTargets(), pextaSectionTargets(), matmulTargets(), parallelCodecTargets())
}

// pextaTargets returns the targets of PEXTA: compared with DRA in the same program, and with DRX-MP
// from Go.
func pextaTargets() []target {
	var all []target
	dra := mpDRA.series + " best"
	for _, column := range []string{"1", "2", "4"} {
		pexta := target{column: column, series: mpPEXTA.series}
		for _, metric := range parallelMetrics {
			pexta.work, pexta.experiment, pexta.metric = "pexta, "+metric+", procs: "+column, parallelMoves.name, metric
			pexta.reference, pexta.least = dra, leastOverDRA[column]
			all = append(all, pexta)
			pexta.reference, pexta.least = mpDirect.series, leastOverGo
			all = append(all, pexta)
		}
		pexta.work, pexta.experiment, pexta.metric = "pexta, growth, procs: "+column, parallelGrowth.name, "round"
		pexta.reference, pexta.least = dra, 10
		all = append(all, pexta)
	}
	return all
}
