package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"drx"
	"drx/dtype"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// benchFlags holds the flags of bench.
type benchFlags struct {
	extent, chunk, rounds int
	dir                   string
}

func (c *command) bench() *cobra.Command {
	var b benchFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure collective writing and reading here",
		Long: `Create an array of float64 in a folder, write it and read it collectively, each process its zone, and
remove it: several rounds, with both engines in turn. Print the median rates of writing new chunks, of
the commit that follows (bytes written over its time), and of reading the chunks again.`,
		Example: `  mpirun -n 4 drxmp bench --extent 8192 --dir /scratch`,
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if b.extent < 1 || b.chunk < 1 || b.rounds < 1 {
				return usagef("bench: --extent, --chunk and --rounds are at least 1")
			}
			return c.run(cmd, func(p *process) error { return p.bench(b) })
		},
	}
	f := cmd.Flags()
	f.IntVar(&b.extent, "extent", 4096, "`elements` of either dimension")
	f.IntVar(&b.chunk, "chunk", 256, "`elements` of either dimension of a chunk")
	f.IntVar(&b.rounds, "rounds", 5, "`number` of measurements")
	f.StringVar(&b.dir, "dir", os.TempDir(), "`folder`, which all processes reach")
	return cmd
}

func (p *process) bench(b benchFlags) (err error) {
	if b.dir, err = p.folder(b.dir); err != nil {
		return err
	}
	if p.Proc() == 0 {
		defer os.RemoveAll(b.dir)
	}
	times := map[drxmp.Engine][][3]float64{}
	for round := range b.rounds {
		for _, engine := range []drxmp.Engine{drxmp.Direct, drxmp.MPIIO} {
			t, err := p.round(b, filepath.Join(b.dir, fmt.Sprint(round, engine)), engine)
			if err != nil {
				return err
			}
			times[engine] = append(times[engine], t)
		}
	}
	bytes := float64(8 * b.extent * b.extent)
	var rates []benchResult
	for _, engine := range []drxmp.Engine{drxmp.Direct, drxmp.MPIIO} {
		var rate [3]float64
		for i := range rate {
			var all []float64
			for _, t := range times[engine] {
				all = append(all, t[i])
			}
			slices.Sort(all)
			rate[i] = bytes / all[len(all)/2]
		}
		rates = append(rates, benchResult{p.Procs(), engine.String(), rate[0], rate[1], rate[2]})
	}
	return p.reportResult(rates, func() {
		for _, r := range rates {
			p.reportf("%d processes, %s: write %.2f GB/s, commit %.2f GB/s, read %.2f GB/s\n",
				r.Procs, r.Engine, r.Write/1e9, r.Commit/1e9, r.Read/1e9)
		}
	})
}

// A benchResult is the output of bench as JSON for an engine: rates in bytes per second.
type benchResult struct {
	Procs  int     `json:"procs"`
	Engine string  `json:"engine"`
	Write  float64 `json:"write_rate"`
	Commit float64 `json:"commit_rate"`
	Read   float64 `json:"read_rate"`
}

// folder creates a new folder in dir, which all processes can reach.
func (p *process) folder(dir string) (string, error) {
	var name string
	var err error
	if p.Proc() == 0 {
		name, err = os.MkdirTemp(dir, "drxmp-bench-")
	}
	if err := p.Agree("folder in "+dir, err); err != nil {
		return "", err
	}
	all, err := p.AllGather([]byte(name))
	if err != nil {
		return "", err
	}
	return string(all[0]), nil
}

// round writes and reads an array once. It returns the seconds that the write, the commit and the
// read took.
func (p *process) round(b benchFlags, name string, engine drxmp.Engine) (seconds [3]float64, err error) {
	spec := drx.Spec{DType: dtype.Float64, Shape: []int{b.extent, b.extent}, ChunkShape: []int{min(b.chunk, b.extent), min(b.chunk, b.extent)}}
	a, err := drxmp.Create(p, name, spec, drxmp.Options{Engine: engine})
	if err != nil {
		return seconds, err
	}
	zone := make([]float64, a.Zone().Len())
	for i := range zone {
		zone[i] = float64(i + p.Proc())
	}
	back := slices.Clone(zone)
	for i, step := range []func() error{
		func() error { return drxmp.WriteAll(a, nil, zone) },
		a.Sync,
		func() error { return drxmp.ReadAll(a, nil, back) },
	} {
		if err == nil {
			seconds[i], err = p.timed(step)
		}
	}
	if err == nil && !slices.Equal(zone, back) {
		err = fmt.Errorf("%s: what was read is not what was written", name)
	}
	err = p.thenClose(a, err)
	if p.Proc() == 0 {
		if e := drx.Remove(name); err == nil {
			err = e
		}
	}
	return seconds, p.Agree("removal", err)
}

// timed returns the seconds that f takes in the slowest process.
func (p *process) timed(f func() error) (float64, error) {
	if err := p.Barrier(); err != nil {
		return 0, err
	}
	begun := time.Now()
	if err := f(); err != nil {
		return 0, err
	}
	seconds := []float64{time.Since(begun).Seconds()}
	err := par.AllReduce(p, seconds, par.Max)
	return seconds[0], err
}
