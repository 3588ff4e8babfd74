package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
)

// oneFile compares arrays in one file with arrays in several files: the same reads, writes,
// appends, growth and openings, and the overhead of both in bytes.
var oneFile = experiment{
	name:  "onefile",
	title: "Arrays in one file and in several files",
	plots: []plot{
		{metric: "read", title: "Reading sections of an array in one file and in several", x: "section (elements of 8 bytes)", y: "time per section (µs)", logY: true},
		{metric: "write", title: "Writing an array in one file and in several", x: "what is made durable", y: "time (ms)", bars: true},
		{metric: "growth and access", title: "Growth of arrays in one file and in several, with access", x: "rank", y: "time (ms)", bars: true},
		{metric: "extension of 10^7 chunks", title: "Extending arrays of 10^7 chunks in one file and in several", x: "what is committed", y: "time (µs)", bars: true},
		{metric: "bytes", title: "Bytes of arrays in one file and in several, beside the elements", x: "chunks, expansions", y: "bytes that are not elements", logY: true},
	},
	run: runOneFile,
}

// bothForms returns two competitors: the same program with the same options, for names with and
// without the extension of a one-file array.
func bothForms() []competitor {
	one := drxDefault
	one.series, one.store = "drx, one file", "one.drx"
	return []competitor{drxDefault, one}
}

func runOneFile(l *lab, t *table) error {
	for _, part := range []func(*lab, *table, []competitor) error{formsRead, formsWrite, formsAppend, formsGrow, formsExtend, formsOpen} {
		if err := part(l, t, bothForms()); err != nil {
			return err
		}
	}
	return nil
}

// formsRead reads sections and single elements, and writes single elements.
func formsRead(l *lab, t *table, cs []competitor) error {
	edge := pick(l, 8192, 2048)
	shape, chunk := uniform(2, edge), uniform(2, 256)
	if err := l.buildAndOpen(cs, "forms", shape, chunk); err != nil {
		return err
	}
	for _, k := range sectionKinds(edge) {
		if k.align > 1 || k.order == "col" {
			continue
		}
		c := cell{metric: "read", column: k.column, unit: microseconds}
		if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant { return l.repeated(c, "read", k.args()...) })...); err != nil {
			return err
		}
	}
	n, c := pick(l, "n=20000", "n=3000"), cell{metric: "batch", column: "gather", unit: nanoseconds}
	if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant { return l.repeated(c, "gather", n) })...); err != nil {
		return err
	}
	if err := l.peers.stopAll(); err != nil { // they have the arrays open for reading
		return err
	}
	c.column = "scatter"
	es := entrants(cs, func(c competitor) entrant {
		return l.openForWriting(c, "forms", shapeArgs(shape, chunk), l.repeated(c, "scatter", n))
	})
	if _, err := l.race(t, c, es...); err != nil {
		return err
	}
	return l.remove(cs, "forms")
}

// formsWrite creates arrays and writes all of them.
func formsWrite(l *lab, t *table, cs []competitor) error {
	shape := uniform(2, pick(l, 4096, 1024))
	for _, w := range []struct{ column, durable string }{{"all, durable", "durable=1"}, {"all, buffered", "durable=0"}} {
		es := entrants(cs, func(c competitor) entrant {
			return l.fresh(c, "create", "written", 8*int64(volume(shape)), append(shapeArgs(shape, uniform(2, 256)), w.durable)...)
		})
		if _, err := l.race(t, cell{metric: "write", column: w.column, unit: milliseconds}, es...); err != nil {
			return err
		}
	}
	return nil
}

// formsAppend appends slabs of 16 MiB.
func formsAppend(l *lab, t *table, cs []competitor) error {
	rows, n := 512, pick(l, 16, 2)
	shape := append(shapeArgs([]int{0, 4096}, uniform(2, 256)), fmt.Sprintf("rows=%d", rows), fmt.Sprintf("n=%d", n))
	for _, w := range []struct{ column, durable string }{{"16 MiB, durable", "durable=1"}, {"16 MiB, buffered", "durable=0"}} {
		es := entrants(cs, func(c competitor) entrant {
			return l.fresh(c, "append", "appended", int64(n*rows*4096*8), append(shape, w.durable)...)
		})
		if _, err := l.race(t, cell{metric: "append", column: w.column, unit: milliseconds}, es...); err != nil {
			return err
		}
	}
	return nil
}

// formsGrow is interleaved growth on disk.
func formsGrow(l *lab, t *table, cs []competitor) error {
	for _, g := range grownArrays {
		c := cell{metric: "growth and access", column: fmt.Sprintf("k = %d", g.rank), unit: milliseconds}
		if err := raceGrowth(l, t, c, cs, g, g.args(l)); err != nil {
			return err
		}
	}
	return nil
}

// formsExtend extends a sparse array of 10^7 chunks.
func formsExtend(l *lab, t *table, cs []competitor) error {
	const edge = 3162 // in chunks
	shape := append(shapeArgs(uniform(2, 16*edge), uniform(2, 16)), "fill=0", "commit=1", "n="+pick(l, "40", "10"))
	for _, w := range []struct{ column, write string }{{"committed", "write=0"}, {"committed, a chunk written", "write=1"}} {
		es := entrants(cs, func(c competitor) entrant { return l.fresh(c, "extend", "extended", 0, append(shape, w.write)...) })
		if _, err := l.race(t, cell{metric: "extension of 10^7 chunks", column: w.column, unit: microseconds}, es...); err != nil {
			return err
		}
	}
	return nil
}

// formsOpen opens arrays with few and with many chunks, and with short and with long histories. It
// adds up the bytes besides the elements, without the hole at the end of a file, into which a
// one-file array will grow.
func formsOpen(l *lab, t *table, cs []competitor) error {
	for _, chunks := range pick(l, []float64{10, 1e4, 1e7}, []float64{10, 1e4}) {
		for _, expansions := range pick(l, []float64{1, 1e3, 1e6}, []float64{1, 1e3}) {
			if err := l.openHistory(t, cs, chunks, expansions); err != nil {
				return fmt.Errorf("%g chunks, %g expansions: %w", chunks, expansions, err)
			}
		}
	}
	return nil
}

func (l *lab) openHistory(t *table, cs []competitor, chunks, expansions float64) error {
	column := power(chunks) + ", " + power(expansions)
	for _, c := range cs {
		err := l.callUntimed(c, "history", "history", fmt.Sprintf("chunks=%.0f", chunks), fmt.Sprintf("expansions=%.0f", expansions))
		if err != nil {
			return err
		}
		bytes := -8 * chunks * float64(historyChunk(int(chunks), int(expansions)))
		err = walkStore(l.path(c, "history"), func(name string, _ fs.FileInfo) error {
			end, err := endOfData(name)
			bytes += float64(end)
			return err
		})
		if err != nil {
			return err
		}
		t.add(row{metric: "bytes", series: c.series, column: column, value: bytes, unit: "bytes", reps: 1, digits: 12})
	}
	n := "n=20"
	if expansions > 1e5 {
		n = "n=1" // it takes a second
	}
	es := entrants(cs, func(c competitor) entrant { return l.simple(c, "reopen", "history", n) })
	_, err := l.race(t, cell{metric: "reopen", column: column, unit: microseconds}, es...)
	return errors.Join(err, l.remove(cs, "history"))
}

// power formats a number as people write it: in digits, or as a power of ten.
func power(n float64) string {
	if n < 1e3 {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return fmt.Sprintf("10^%d", len(strconv.FormatFloat(n, 'f', 0, 64))-1)
}

// oneFileTargets require that a one-file array takes at most a twentieth more time than one in
// several files.
func oneFileTargets() (all []target) {
	for _, g := range []struct {
		metric  string
		columns []string
	}{
		{"read", []string{"one element", "8x8", "64x64", "256x256", "1024x1024", "one row", "one column"}},
		{"batch", []string{"gather", "scatter"}},
		{"write", []string{"all, durable", "all, buffered"}},
		{"append", []string{"16 MiB, durable", "16 MiB, buffered"}},
		{"growth and access", []string{"k = 2", "k = 3", "k = 4"}},
		{"extension of 10^7 chunks", []string{"committed", "committed, a chunk written"}},
		{"reopen", []string{"10, 1", "10, 10^3", "10, 10^6", "10^4, 1", "10^4, 10^3", "10^4, 10^6", "10^7, 1", "10^7, 10^3", "10^7, 10^6"}},
	} {
		for _, column := range g.columns {
			all = append(all, target{
				work: "one file: " + g.metric + ", " + column, experiment: oneFile.name, metric: g.metric, column: column,
				series: "drx, one file", reference: drxDefault.series, least: 0.95,
			})
		}
	}
	return all
}
