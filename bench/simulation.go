package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"drx/axial"
)

// simulation says what more processes and readers would wait for than this machine has. The calls,
// bytes and requests are those of the program; what they cost is assumed, but for the part that is
// compared with measurements. docs/SCALING.md explains it.
var simulation = experiment{
	name:  "mp-simulation",
	title: "DRX-MP on 16 to 4,096 processes and 1,000 readers of an object store, simulated",
	plots: []plot{
		{metric: "checkpoint", title: "A checkpoint of 1 GiB per process, simulated", x: "processes", y: "time (s)", logX: true, logY: true},
		{metric: "small step", title: "A step of 1 MiB per process, simulated", x: "processes", y: "time (s)", logX: true, logY: true},
		{metric: "readers", title: "Readers of an object store, simulated", x: "readers", y: "time until all have their data (s)", logX: true, logY: true},
	},
	run: func(l *lab, t *table) error {
		laws, files, err := countLaws(l.dir)
		if err != nil {
			return err
		}
		if err := compareWithHere(l, t, laws); err != nil {
			return err
		}
		addLaws(t, laws)
		for procs := 16; procs <= 4096; procs *= 4 {
			assumedCluster.step(t, "checkpoint", procs, 1024, laws["write"], files)
			assumedCluster.step(t, "small step", procs, 1, laws["round"], 0)
		}
		return simulateReaders(t)
	},
}

const simulatedChunk = 1 << 20 // bytes

// A cluster has the costs that the simulation assumes, in seconds and bytes per second.
type cluster struct {
	message  float64 // a message from one process to another
	further  float64 // each further message of an exchange between all
	node     int     // processes of a node
	network  float64 // of a node
	nodeDisk float64 // from a node to the file system
	disk     float64 // of the file system
	opens    float64 // files that it opens per second
	sync     float64 // making a file durable
	adopt    float64 // what a process says of a chunk, at another one
}

// assumedCluster has nodes of 64 cores, a network of 200 Gbit/s and a parallel file system of a
// hundred servers. adopt is measured: go test ./internal/chunkstore -run '^$' -bench ApplyRemote.
var assumedCluster = cluster{
	message: 2e-6, further: 0.3e-6, node: 64, network: 25e9, nodeDisk: 10e9, disk: 200e9, opens: 50e3, sync: 5e-3, adopt: 2e-6,
}

// commitSyncs is how often a commit waits for the disk: principal array, table, line, and the
// table, log and journal of what it replaces.
const commitSyncs = 5

// step adds what processes wait for when each writes chunks and all commit, part by part.
func (c cluster) step(t *table, metric string, procs, chunks int, w law, files float64) {
	levels := math.Ceil(math.Log2(float64(procs)))
	local := float64(min(procs, c.node))
	moved := float64(procs) * float64(chunks) * simulatedChunk
	nodes := math.Ceil(float64(procs) / float64(c.node))
	parts := []struct {
		name string
		time float64
	}{
		{"elements", moved / min(c.disk, nodes*c.nodeDisk)},
		{"calls", float64(w.calls)*2*levels*c.message + float64(w.exchanges)*float64(procs-1)*c.further},
		{"lists of chunks, sent", w.bytes(procs, chunks) * local / c.network},
		{"lists of chunks, adopted", float64(procs-1) * float64(chunks) * c.adopt},
		{"opening files", float64(procs) * files / c.opens},
		{"syncs", commitSyncs * c.sync},
	}
	whole := 0.0
	for _, p := range parts {
		whole += p.time
		if p.time > 0 {
			t.add(row{metric: metric, series: p.name, x: float64(procs), value: p.time, unit: "s"})
		}
	}
	t.add(row{metric: metric, series: "in all", x: float64(procs), value: whole, unit: "s"})
}

// addLaws adds the counts of the phases.
func addLaws(t *table, laws map[string]law) {
	for _, phase := range []string{"open", "write", "read", "round", "close"} {
		w := laws[phase]
		for _, n := range []struct {
			name  string
			value float64
		}{
			{"calls", float64(w.calls)},
			{"exchanges", float64(w.exchanges)},
			{"bytes, once", float64(w.got)},
			{"bytes per other process", w.perProc},
			{"bytes per chunk of it", w.perChunk},
		} {
			t.add(row{metric: "counts", series: n.name, column: phase, value: n.value, digits: 4})
		}
	}
}

// comparedMetrics lists what is compared with measurements, and the phases that it consists of.
var comparedMetrics = []struct {
	name   string
	phases []string
}{
	{"write", []string{"write"}},
	{"first read", []string{"open", "read", "close"}},
	{"read", []string{"read"}},
	{"round", []string{"round"}},
}

// compareWithHere measures a small job with up to 16 processes on this machine, and adds the
// figures beside those that follow from the counts and from the cost of a call, which is measured
// for each number of processes. The rest of the time, for elements and files, is what it is with
// four processes.
func compareWithHere(l *lab, t *table, laws map[string]law) error {
	if len(l.presentJobs(mpDirect)) == 0 {
		return nil
	}
	measured, calls := map[int][]float64{}, map[int][]float64{} // ms, by processes
	counts := pick(l, []int{2, 4, 8, 16}, []int{2, 4})
	for _, procs := range counts {
		times, call, err := l.measureJobs(procs)
		if err != nil {
			return err
		}
		measured[procs] = times
		t.add(row{metric: "one call, here", series: "measured", column: strconv.Itoa(procs), value: call, unit: "ms"})
		for _, m := range comparedMetrics {
			n := int64(0)
			for _, phase := range m.phases {
				n += laws[phase].calls
			}
			calls[procs] = append(calls[procs], float64(n)*call)
		}
	}
	for i, m := range comparedMetrics {
		rest := max(0, measured[4][i]-calls[4][i])
		for _, procs := range counts {
			r := row{metric: m.name + ", here", series: "measured", column: strconv.Itoa(procs), value: measured[procs][i], unit: "ms"}
			t.add(r)
			r.series, r.value = "simulated", rest+calls[procs][i]
			t.add(r)
		}
	}
	return nil
}

// measureJobs returns the least times of comparedMetrics and of one call, in ms: what else runs on
// the machine only adds to them.
func (l *lab) measureJobs(procs int) (found []float64, call float64, err error) {
	args := append(shapeArgs([]int{1024, 64}, uniform(2, 16)), fmt.Sprintf("grid=%d,1", procs))
	with := func(words ...string) []string { return append(words, args...) }
	sessions := [][][]string{
		{with("write"), with("read"), with("read", "again=1")},
		{with("grow", "by=16", "rounds=16"), with("calls", "rounds=500")},
	}
	values := make([][]float64, len(comparedMetrics)+1)
	for range l.reps {
		var all []result
		for _, requests := range sessions {
			rs, err := l.smallJobSession(mpDirect, procs, requests...)
			if err != nil {
				return nil, 0, err
			}
			all = append(all, rs...)
		}
		for i, r := range all {
			values[i] = append(values[i], float64(r.wall)/float64(time.Millisecond)/max(1, r.ops))
		}
	}
	for _, v := range values {
		found = append(found, slices.Min(v))
	}
	last := len(found) - 1
	return found[:last], found[last], nil
}

// An objectStore has the costs of an object store, in seconds and bytes per second.
type objectStore struct {
	first    float64 // until the first byte of an answer
	stream   float64 // of one answer
	reader   float64 // of a reader's network
	whole    float64 // of all answers together
	requests float64 // per second, for objects whose names begin alike
	parallel int     // requests that a reader has in progress
}

// assumedStore has the figures that providers publish for one prefix, and readers with 10 Gbit/s.
var assumedStore = objectStore{first: 20e-3, stream: 90e6, reader: 1.25e9, whole: 100e9, requests: 5500, parallel: 32}

// openRequests is what a reader asks for before its section: log, head of the presence map, sizes
// of table and data.
const openRequests = 4

// simulateReaders adds what readers of an array of days by latitude by longitude wait for.
func simulateReaders(t *table) error {
	grid, err := axial.New([]int{0, 0, 0}, []int{0, 8, 16}) // chunks of 64 x 90 x 90 float32: 2 MB
	for err == nil && grid.Hi()[0] < 128 {
		grid, err = grid.Extend(0, 1, axial.High)
	}
	if err != nil {
		return err
	}
	for _, section := range []struct {
		name   string
		lo, hi []int
	}{
		{"a map of one day", []int{100, 0, 0}, []int{101, 8, 16}},
		{"one point, all days", []int{0, 3, 5}, []int{128, 4, 6}},
	} {
		var spans []axial.Span
		for _, r := range grid.Runs(section.lo, section.hi) {
			spans = r.AppendSpans(spans, math.MaxInt)
		}
		chunks := int64(0)
		for _, s := range spans {
			chunks += s.N
		}
		const bytes = 64 * 90 * 90 * 4
		inRuns := assumedStore.request(len(spans), int(chunks), bytes)
		byChunk := assumedStore.request(int(chunks), int(chunks), bytes)
		for readers := 1; readers <= 1000; readers *= 10 {
			inRuns.add(t, section.name+", requests of runs", readers)
			byChunk.add(t, section.name+", requests of chunks", readers)
		}
	}
	return nil
}

// A reading is what one reader asks for.
type reading struct {
	objectStore
	requests, bytes, alone float64
}

// request returns the reading of chunks of some bytes in a number of requests: the table entries in
// one request each time, then the chunks.
func (o objectStore) request(spans, chunks, chunkBytes int) reading {
	bytes := float64(chunks) * float64(chunkBytes)
	rounds := math.Ceil(float64(spans) / float64(o.parallel))
	streams := float64(min(spans, o.parallel))
	return reading{
		o, float64(openRequests + 1 + spans), bytes,
		(3+rounds)*o.first + max(bytes/(streams*o.stream), bytes/o.reader),
	}
}

// add adds the time until a number of readers have their data, which begin at once, and the
// requests and bytes of all.
func (r reading) add(t *table, series string, readers int) {
	n := float64(readers)
	time := max(r.alone, n*r.requests/r.objectStore.requests, n*r.bytes/r.whole)
	t.add(row{metric: "readers", series: series, x: n, value: time, unit: "s"})
	t.add(row{metric: "requests of all", series: series, x: n, value: n * r.requests, digits: 4})
	t.add(row{metric: "requests alone need", series: series, x: n, value: n * r.requests / r.objectStore.requests, unit: "s"})
	t.add(row{metric: "bytes alone need", series: series, x: n, value: n * r.bytes / r.whole, unit: "s"})
}
