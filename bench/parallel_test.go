package main

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// parallelTable returns a table with a row for each competitor, each slower than the previous one.
func parallelTable(metric string) *table {
	t := &table{}
	for i, c := range []competitor{mpDirect, mpCollective, mpHDF5Own, mpHDF5, mpDRA, mpRaw, mpDRAOne, mpChunks, mpRows} {
		t.add(row{metric: metric, column: "4", series: c.series, value: float64(10 + i), unit: "ms", limit: c.limit, reps: 5})
	}
	return t
}

// The fastest peer must be neither ours, nor a limit, nor the best of several.
func TestFastestPeers(t *testing.T) {
	tab := parallelTable("m")
	for _, c := range []competitor{mpChunks, mpRows} { // makes the limits the fastest
		tab.rows = slices.DeleteFunc(tab.rows, func(r row) bool { return r.series == c.series })
		tab.add(row{metric: "m", column: "4", series: c.series, value: 1, unit: "ms", limit: true, reps: 5})
	}
	tab.bestOfParallelPeers("m")
	for series, want := range map[string]float64{"hdf5 our chunks best": 13, "dra best": 14, fastestPeer: 12, fastestLasting: 13} {
		if r, ok := tab.find("m", series, "4"); !ok || r.value != want {
			t.Errorf("%s: %+v, want %g", series, r, want)
		}
	}
	if r, _ := tab.find("m", fastestLasting, "4"); r.limit || boundToProcs(mpRaw.series) || !boundToProcs(mpHDF5Own.series) || boundToProcs(mpDRAOne.series) {
		t.Errorf("whose layout is tied to the processes: %+v", r)
	}
}

// The targets must name rows that the experiments make, and be met or missed according to their
// values.
func TestParallelTargets(t *testing.T) {
	tables := map[string]*table{}
	metrics := map[string]bool{}
	for _, e := range parallelExperiments {
		all := &table{}
		for _, p := range e.plots {
			metrics[e.name+p.metric] = true
			all.rows = append(all.rows, parallelTable(p.metric).rows...)
			all.leastOf(p.metric, fastestPeer, isPeer)
			all.leastOf(p.metric, fastestRewriter, isPeer)
		}
		tables[e.name] = all
	}
	for _, g := range parallelTargets() {
		if !metrics[g.experiment+g.metric] {
			t.Errorf("%s: no experiment %s with metric %s", g.work, g.experiment, g.metric)
		}
	}
	text := targetTable(parallelTargets(), tables)
	for _, want := range []string{
		"| write, procs: 4 | pread, pwrite of chunks | 0.8 | 1.7 | pass |",
		"| write, procs: 4 | fastest peer | 1.5 | 1.2 | miss |",
		"| write, procs: 1 | pread, pwrite of chunks | 0.8 | not measured |",
		"| growth, procs: 4 | fastest that rewrites | 10 | 1.2 | miss |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The parallel suite must write its pages beside those of the others, with targets of its own.
func TestParallelDocument(t *testing.T) {
	s, dir, tables := settings{parallel: true}, t.TempDir(), map[string]*table{}
	for _, e := range parallelExperiments {
		tables[e.name] = parallelTable(e.plots[0].metric)
	}
	if err := document(dir, s, tables); err != nil {
		t.Fatal(err)
	}
	for _, e := range parallelExperiments {
		if text := readPage(t, dir, e.name+".md"); strings.Count(text, "| drx-mp, mpiio | 11 |") != 1 || !strings.Contains(text, "`scripts/bench.sh -mp -only") {
			t.Errorf("the page of %s: %s", e.name, text)
		}
	}
	if text := readPage(t, dir, "targets-mp.md"); !strings.Contains(text, " measured targets are met.") {
		t.Errorf("targets: %s", text)
	}
}

// A job must run under mpirun, or as a process with goroutines. A missing program must give an
// error.
func TestLaunch(t *testing.T) {
	dir := t.TempDir()
	r, err := newPeers(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.argv["job-drx"] = []string{"/bin/sh", "-c", "read request; echo ok 1 2 3 $0"}
	rs, err := r.session(mpGoroutines, 4, []string{"write"}, []string{"read"})
	if len(rs) != 1 || rs[0].check != "4" || err == nil || !strings.Contains(err.Error(), "peer") {
		t.Errorf("results %+v, error %v", rs, err)
	}
	r.missing["job-dra"] = errMissing
	if _, err := r.session(mpDRA, 2); !errors.Is(err, errMissing) {
		t.Errorf("error %v, want %v", err, errMissing)
	}
}

// jobArgs returns the arguments for a small array in chunks of 4 by 8 elements.
func jobArgs(dir, grid, shape string) []string {
	return []string{"path=" + filepath.Join(dir, "a"), "shape=" + shape, "chunk=4,8", "grid=" + grid}
}

// sectionSum returns the sum of the values of a section that begins at (offset, offset).
func sectionSum(offset, rows, columns int) uint64 {
	sum := uint64(0)
	for i := range rows {
		for j := range columns {
			sum += valueAt([]int{offset + i, offset + j})
		}
	}
	return sum
}
