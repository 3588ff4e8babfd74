package main

import "os"

// codecsBefore compares arrays without a codec with those of a build of an earlier commit.
var codecsBefore = experiment{
	name:  "before",
	title: "Arrays without a codec, beside an earlier commit",
	plots: []plot{
		{metric: "write", x: "array of float64", y: "time (ms)", bars: true},
		{metric: "read", x: "section", y: "time (µs)", logY: true, bars: true},
	},
	run: runBefore,
}

var earlier = competitor{series: "drx, before", program: "before", store: "drx-before"}

func init() {
	for _, w := range []struct{ metric, place string }{
		{"write", "whole"}, {"read", "whole"}, {"read", "one element"}, {"read", "64x64"}, {"read", "256x256"}, {"read", "1024x1024"},
	} {
		targets = append(targets, target{
			work: "without a codec, " + w.metric + " " + w.place, experiment: codecsBefore.name, metric: w.metric, place: w.place,
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
	if _, err := l.race(t, cell{metric: "write", place: "whole", unit: milliseconds}, es...); err != nil {
		return err
	}
	if err := l.buildAndOpen(cs, "before", shape, chunk); err != nil {
		return err
	}
	for _, s := range []struct{ place, size, n string }{
		{"one element", "1,1", "n=1000"}, {"64x64", "64,64", "n=200"}, {"256x256", "256,256", "n=50"}, {"1024x1024", "1024,1024", "n=10"},
	} {
		c := cell{metric: "read", place: s.place, unit: microseconds}
		if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant { return l.repeated(c, "read", "size="+s.size, s.n) })...); err != nil {
			return err
		}
	}
	c := cell{metric: "read", place: "whole", unit: microseconds}
	es = entrants(cs, func(c competitor) entrant { return l.simple(c, "sweep", "before", "rows=1024") })
	if _, err := l.race(t, c, es...); err != nil {
		return err
	}
	if err := l.peers.stopAll(); err != nil {
		return err
	}
	return l.remove(cs, "before")
}
