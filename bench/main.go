// Command bench measures DRX beside its peers libhdf5, NetCDF-4, zarr-python and a plain
// row-major file, and beside the limits of the machine, in one interleaved run.
//
//	scripts/bench.sh [-mp | -hyper] [-short] [-only pattern] [-reps n] [-out folder] [-dir folder] [-doc]
//
// It is in a module of its own, with the packages below study, so that DRX does not depend on what only
// measurements need. scripts/bench.sh installs the peers, builds this command, and runs it in the
// root folder of the repository.
//
// With -mp it measures DRX-MP beside the parallel peers, which are jobs under mpirun (parallel.go):
// parallel HDF5, PnetCDF, MPI-IO, Disk Resident Arrays.
//
// With -hyper it measures how near the results of drx hyper are to the truth, in the public scenes
// below DRX_DATA (hyperfigures.go), and the times of the same work by one and by two procs (hyperprocs.go).
//
// Each competitor is a process that measures itself. The driver asks them in turn for the same
// work (protocol.go); DRX is a second process of this program. The values that the competitors read
// are compared, and a wrong one ends the run. Every experiment writes a table (CSV) and its plots
// (SVG) to the folder of -out; a run ends with the table of targets. Peers that are not installed are
// named and left out. docs/PERFORMANCE.md explains the method and the settings.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

// childFlag is the argument that makes this program the peer DRX.
const childFlag = "-child"

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

// settings has the command-line options.
type settings struct {
	parallel, hyper, short, doc bool
	only                        *regexp.Regexp
	reps                        int
	out, dir                    string
}

func parseFlags(args []string) (settings, error) {
	s := settings{}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.BoolVar(&s.parallel, "mp", false, "measure DRX-MP beside the parallel peers, under mpirun")
	flags.BoolVar(&s.hyper, "hyper", false, "say how good the results of drx hyper are, in the public scenes below DRX_DATA, and what two procs gain")
	flags.BoolVar(&s.short, "short", false, "small arrays, three repetitions: two minutes")
	flags.BoolVar(&s.doc, "doc", false, "put the tables into docs/PERFORMANCE.md, PERFORMANCE-MP.md or HYPER.md, and the plots into docs/plots")
	only := flags.String("only", "", "run the experiments whose name matches this regular expression")
	flags.IntVar(&s.reps, "reps", 0, "repetitions (default 5, or 3 with -short)")
	flags.StringVar(&s.out, "out", "bin/bench", "folder for tables and plots")
	flags.StringVar(&s.dir, "dir", os.TempDir(), "folder on the disk to measure; 12 GiB are used below it and freed")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.reps == 0 {
		s.reps = 5
		if s.short {
			s.reps = 3
		}
	}
	var err error
	s.only, err = regexp.Compile(*only)
	return s, err
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
		// The run is over anyway: files that cannot be removed stay.
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
