package main

import (
	"flag"
	"os"
	"regexp"
)

// settings holds the command-line options.
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
	flags.BoolVar(&s.doc, "doc", false, "put the tables into docs/perf and the plots into docs/plots")
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
