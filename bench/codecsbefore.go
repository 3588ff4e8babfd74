package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
)

// codecsBefore compares arrays without a codec with those of a build of an earlier commit.
var codecsBefore = experiment{
	name:  "before",
	title: "Arrays without a codec, beside an earlier commit",
	plots: []plot{
		{metric: "write", x: "array of float64", y: "time (ms)", bars: true},
		{metric: "read", x: "section", y: "time (µs)", logY: true, bars: true},
		{metric: "extend", x: "chunks before", y: "time per extension (µs)", bars: true},
	},
	run: runBefore,
}

var earlier = competitor{series: "drx, before", program: "before", store: "drx-before"}

func init() {
	for _, w := range []struct{ metric, column string }{
		{"write", "whole"},
		{"read", "whole"},
		{"read", "one element"},
		{"read", "64x64"},
		{"read", "256x256"},
		{"read", "1024x1024"},
		{"read", "1024x1024 transposed"},
		{"read", "one column"},
		{"extend", "100"},
		{"extend", "1000000"},
	} {
		targets = append(targets, target{
			work: "without a codec, " + w.metric + " " + w.column, experiment: codecsBefore.name, metric: w.metric, column: w.column,
			reference: earlier.series, least: 0.95,
		})
	}
}

func runBefore(l *lab, t *table) error {
	if os.Getenv(beforeVariable) == "" {
		l.printf("  left out: %s does not name the drx-bench of an earlier commit\n", beforeVariable)
		return nil
	}
	edge := pick(l, 8192, 2048)
	shape, chunk, cs := uniform(2, edge), uniform(2, 256), []competitor{drxDefault, earlier}
	es := entrants(cs, func(c competitor) entrant {
		return l.fresh(c, "create", "before", int64(8*volume(shape)), append(shapeArgs(shape, chunk), "durable=0")...)
	})
	if _, err := l.race(t, cell{metric: "write", column: "whole", unit: milliseconds}, es...); err != nil {
		return err
	}
	if err := l.buildAndOpen(cs, "before", shape, chunk); err != nil {
		return err
	}
	for _, s := range []struct{ column, size, order, n string }{
		{"one element", "1,1", "row", "n=1000"},
		{"64x64", "64,64", "row", "n=200"},
		{"256x256", "256,256", "row", "n=50"},
		{"1024x1024", "1024,1024", "row", "n=10"},
		{"1024x1024 transposed", "1024,1024", "col", "n=10"},
		{"one column", fmt.Sprintf("%d,1", edge), "row", "n=5"},
	} {
		c := cell{metric: "read", column: s.column, unit: microseconds}
		if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant {
			return l.repeated(c, "read", "size="+s.size, "order="+s.order, s.n)
		})...); err != nil {
			return err
		}
	}
	c := cell{metric: "read", column: "whole", unit: microseconds}
	es = entrants(cs, func(c competitor) entrant { return l.simple(c, "sweep", "before", "rows=1024") })
	if _, err := l.race(t, c, es...); err != nil {
		return err
	}
	if err := l.peers.stopAll(); err != nil {
		return err
	}
	return errors.Join(l.remove(cs, "before"), extendBefore(l, t, cs))
}

// extendBefore extends sparse arrays in memory, with few chunks and with many.
func extendBefore(l *lab, t *table, cs []competitor) error {
	for _, edge := range []int{10, 1000} {
		args := append(shapeArgs(uniform(2, 16*edge), uniform(2, 16)), "fill=0", "n=1000")
		c := cell{metric: "extend", column: strconv.Itoa(edge * edge), unit: microseconds}
		if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant {
			return secondRun(l.fresh(c, "extend", "before-extend", 0, args...))
		})...); err != nil {
			return err
		}
	}
	return l.peers.stopAll()
}
