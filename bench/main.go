// Command bench measures DRX beside its peers libhdf5, NetCDF-4, zarr-python and a plain row-major
// file, and beside the limits of the machine, in one interleaved run.
//
//	scripts/bench.sh [-mp | -hyper] [-short] [-only pattern] [-reps n] [-out folder] [-dir folder] [-doc]
//
// It is in a module of its own, with the packages below study, so that DRX does not depend on
// modules that only measurements need. scripts/bench.sh installs the peers, builds this command,
// and runs it in the root folder of the repository.
//
// With -mp it measures DRX-MP beside the parallel peers, which are jobs under mpirun (parallel.go):
// parallel HDF5, PnetCDF, MPI-IO, Disk Resident Arrays.
//
// With -hyper it measures how close the results of drx hyper are to the truth, in the public scenes
// below DRX_DATA (hyperfigures.go), and the times of the same work with one and with two procs
// (hyperprocs.go).
//
// Each competitor is a process that measures itself. The driver sends them the same requests in
// turn (protocol.go); DRX is a second process of this program. The values that the competitors read
// are compared, and a wrong one ends the run. Every experiment writes a table (CSV) and its plots
// (SVG) to the folder of -out; a run ends with the table of targets. Peers that are not installed
// are named and left out. docs/perf/README.md explains the method and the settings.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == childFlag {
		if err := serveChild(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench child:", err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1] == jobFlag {
		serveJob(os.Args[2:])
		return
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	s, err := parseFlags(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.dir, "drx-bench-")
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-stop
		// The run is over anyway: files that cannot be removed are left behind.
		_ = os.RemoveAll(dir)
		os.Exit(1)
	}()
	err = runAll(s, dir)
	return errors.Join(err, os.RemoveAll(dir))
}

// runAll runs the selected experiments below dir and reports their results.
func runAll(s settings, dir string) error {
	peers, err := newPeers(dir)
	if err != nil {
		return err
	}
	return runIn(&lab{dir: dir, short: s.short, reps: s.reps, log: os.Stdout, peers: peers}, s)
}

// runIn is runAll in a given lab.
func runIn(l *lab, s settings) error {
	peers := l.peers
	for program, c := range s.suite().peers {
		if !peers.has(c) {
			l.printf("left out: %v\n", peers.missing[program])
		}
	}
	tables := map[string]*table{}
	for _, e := range s.suite().experiments {
		if !s.only.MatchString(e.name) {
			continue
		}
		begun := time.Now()
		l.printf("%s: %s\n", e.name, e.title)
		t := &table{}
		err := e.run(l, t)
		if err = errors.Join(err, peers.stopAll()); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		tables[e.name] = t
		if err := report(s.out, e, t); err != nil {
			return err
		}
		l.printf("%s: %.0f s\n\n", e.name, time.Since(begun).Seconds())
	}
	return writeResults(s, tables)
}
