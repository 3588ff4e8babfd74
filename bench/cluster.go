package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// onCluster reads and writes an array with three workers of dask whose memory together is less than
// half of it.
var onCluster = experiment{
	name:  "cluster",
	title: "An array and three dask workers of 400 MB",
	plots: []plot{{metric: "time", x: "work", y: "time (ms)", bars: true}},
	run:   runOnCluster,
}

// The work of a cluster: what it computes of the array, and writing another one, whose files are
// synced or not.
var (
	clusterReads  = []string{"mean", "groupby", "rechunk", "quantile"}
	clusterWrites = []string{"write", "write, durable"}
)

func init() {
	goal := func(work string, least float64) {
		targets = append(targets, target{
			work: "dask cluster, " + work, experiment: "cluster", metric: "time", column: work, reference: zarr.series, least: least,
		})
	}
	for _, work := range clusterReads {
		goal(work, 1)
	}
	for _, work := range clusterWrites {
		goal(work, 1/1.2)
	}
}

func runOnCluster(l *lab, t *table) error {
	argv, err := l.peers.python("distributed")
	if err != nil {
		l.printf("  left out: %v\n", err)
		return nil
	}
	program := []string{argv[0], filepath.Join(l.peers.dir, "cluster.py"), sources()}
	args := append(program[1:], "make", l.dir, fmt.Sprint(pick(l, 2160, 120)), fmt.Sprint(pick(l, 559, 280)))
	if text, err := exec.Command(program[0], args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	for _, work := range append(clusterReads, clusterWrites...) {
		var es []entrant
		for _, series := range []string{drxDefault.series, zarr.series} {
			es = append(es, entrant{series: series, run: func(uint64) (result, error) {
				return runProgram(append(program, "run", l.dir, series, work))
			}})
		}
		if _, err := l.race(t, cell{metric: "time", column: work, unit: milliseconds}, es...); err != nil {
			return err
		}
	}
	return errors.Join(os.RemoveAll(filepath.Join(l.dir, "source")), os.RemoveAll(filepath.Join(l.dir, "source.zarr")))
}
