package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/advise"
	"drx/advise/accesslog"
	"drx/dtype"
)

// beside is --from-log without a file: the log beside the array.
const beside = "ARRAY" + accesslog.Ext

// adviseOptions are the flags of advise.
type adviseOptions struct {
	access                                  []string
	dtype, shape, block, stripe, from, only string
	asJSON                                  bool
}

func newAdvise() *cobra.Command {
	var o adviseOptions
	cmd := &cobra.Command{
		Use:     "advise [ARRAY] (--access N,N,...[:WEIGHT]... | --from-log[=FILE])",
		Short:   "Find the chunk shape for the way an array is accessed",
		GroupID: groupLook,
		Long: `Find the chunk shape with which accesses meet the fewest chunks, among all shapes that fit
a block. It is proved to be the best.

An access is the shape of the sections that are read or written, with its share of all
accesses; such sections may lie anywhere. Or the accesses of a program are counted: package
advise/accesslog does that, and without a file --from-log reads ARRAY.access.

Given an array, its element type and its extents are used, but for dimensions that have grown:
their extents say nothing. --shape says otherwise: chunks are at most so long, and 0 is a
dimension without bound.

With --stripe, the stripe of a parallel file system, a chunk's place in the file divides
stripes or is divided by them; the result has the --align to create the array with.`,
		Example: `  drx advise --access 1,5,4:0.7 --access 2,5,2:0.3 --block 1MiB
  drx advise --dtype int16 --shape 0,512,512 --access 1,512,512:0.9 --access 1000,1,1:0.1
  drx advise radar --from-log --stripe 4MiB --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("advise: want one array, got %d arguments; a log is given as --from-log=FILE", len(args))
			}
			return nil
		},
		ValidArgsFunction: completeOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := o.subject(cmd, args)
			if err != nil {
				return err
			}
			a, err := t.advise()
			if err != nil {
				return err
			}
			if o.asJSON {
				return printJSON(cmd.OutOrStdout(), a)
			}
			return a.print(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.access, "access", nil, "`extents` of sections, in elements, and their weight (default: 1)")
	f.StringVar(&o.from, "from-log", "", "`file` of counted accesses")
	f.Lookup("from-log").NoOptDefVal = beside
	f.StringVar(&o.only, "only", "", "`operation` to take from the log: read or write (default: both)")
	f.StringVar(&o.dtype, "dtype", "float64", "element `type`, if there is no array")
	f.StringVar(&o.shape, "shape", "", "`extents` of the array, in elements; 0 for no bound")
	f.StringVar(&o.block, "block", "1MiB", "largest `size` of a chunk, in bytes or KiB, MiB, GiB")
	f.StringVar(&o.stripe, "stripe", "", "`size` of a stripe of the file system")
	f.BoolVar(&o.asJSON, "json", false, "print JSON")
	completeFlag(cmd, "dtype", cobra.FixedCompletions(dtypeNames(), cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "only", cobra.FixedCompletions([]string{"read", "write"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// A subject is what advice is sought for.
type subject struct {
	problem advise.Problem
	dtype   dtype.DType
	present []int // the chunk shape of the array, nil without one
	covered float64
}

// subject turns the command line into a problem.
func (o adviseOptions) subject(cmd *cobra.Command, args []string) (*subject, error) {
	t := &subject{covered: 1}
	var err error
	if t.problem.Block, err = parseBytes("--block", o.block); err != nil {
		return nil, err
	}
	if t.problem.Stripe, err = parseBytes("--stripe", o.stripe); err != nil {
		return nil, err
	}
	if t.dtype, err = dtype.Parse(o.dtype); err != nil {
		return nil, usageError{err}
	}
	if t.problem.Shape, err = parseInts("--shape", o.shape); err != nil {
		return nil, err
	}
	if len(args) == 1 {
		if cmd.Flags().Changed("dtype") {
			return nil, usagef("advise: --dtype %s beside an array, which has one", o.dtype)
		}
		if err := withArray(args[0], false, t.take); err != nil {
			return nil, err
		}
	}
	t.problem.ElemSize = t.dtype.Size()
	return t, o.pattern(t, args)
}

// take makes an array the subject.
func (t *subject) take(a *drx.Array) error {
	t.dtype, t.present = a.DType(), a.ChunkShape()
	if t.problem.Shape != nil {
		return nil
	}
	changes, err := a.History()
	if err != nil {
		return err
	}
	t.problem.Shape = a.Shape()
	for _, c := range changes {
		if c.Kind == drx.Extended || c.Kind == drx.AddedDim {
			t.problem.Shape[c.Dim] = 0
		}
	}
	return nil
}

// pattern gathers the accesses.
func (o adviseOptions) pattern(t *subject, args []string) error {
	switch {
	case (len(o.access) > 0) == (o.from != ""):
		return usagef("advise needs --access or --from-log; see 'drx advise --help'")
	case o.only != "" && (o.from == "" || o.only != "read" && o.only != "write"):
		return usagef("advise: --only %q: it is read or write, of --from-log", o.only)
	case o.from == beside && len(args) == 0:
		return usagef("advise: --from-log needs an array or a file: --from-log=FILE")
	}
	for _, text := range o.access {
		a, err := parseAccess(text)
		if err != nil {
			return err
		}
		t.problem.Accesses = append(t.problem.Accesses, a)
	}
	if o.from == "" {
		return nil
	}
	name := o.from
	if name == beside {
		name = drx.BaseName(args[0]) + accesslog.Ext
	}
	counts, err := readAccessLog(name)
	if err != nil {
		return err
	}
	return t.count(name, counts, o.only)
}

// parseAccess reads extents and a weight: 1,5,4:0.7.
func parseAccess(text string) (a advise.Access, err error) {
	box, weight, weighted := strings.Cut(text, ":")
	a.Weight = 1
	if weighted {
		if a.Weight, err = strconv.ParseFloat(weight, 64); err != nil || !(a.Weight > 0) || math.IsInf(a.Weight, 0) {
			return a, usagef("--access %q: weight %q is no positive number", text, weight)
		}
	}
	a.Box, err = parseInts("--access", box)
	if err == nil && len(a.Box) == 0 {
		err = usagef("--access %q: there are no extents", text)
	}
	return a, err
}

func readAccessLog(name string) ([]accesslog.Entry, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; package accesslog makes one", err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	counts, err := accesslog.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return counts, nil
}

// count makes a pattern of counted accesses. Boxes of before a dimension was added have extent
// 1 in it; a dimension in which a box is longer than the array has no bound.
func (t *subject) count(name string, counts []accesslog.Entry, only string) error {
	rank := max(len(t.problem.Shape), len(t.present))
	var all []advise.Access
	for _, c := range counts {
		if rank == 0 || t.problem.Shape == nil {
			rank = max(rank, len(c.Box))
		}
		if only == "" || c.Op == only {
			all = append(all, advise.Access{Box: c.Box, Weight: float64(c.Count)})
		}
	}
	for i, a := range all {
		if len(a.Box) > rank {
			return fmt.Errorf("%s: box %s of rank %d in an array of rank %d: %w", name, times(a.Box), len(a.Box), rank, drx.ErrRank)
		}
		for len(all[i].Box) < rank {
			all[i].Box = append(all[i].Box, 1)
		}
		for d, n := range t.problem.Shape {
			if all[i].Box[d] > n {
				t.problem.Shape[d] = 0
			}
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("%s: there are no accesses in it: %w", name, advise.ErrPattern)
	}
	t.problem.Accesses, t.covered = advise.Merge(all, t.problem.Shape, loggedClasses)
	return nil
}

// loggedClasses is how many classes are made of a log: as many as a person reads.
const loggedClasses = 16

// parseBytes reads a number of bytes: 4096, 64KiB, 1MiB. Empty is 0.
func parseBytes(flag, text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	number, shift := text, 0
	for i, unit := range []string{"B", "KiB", "MiB", "GiB"} {
		if rest, ok := strings.CutSuffix(text, unit); ok {
			number, shift = rest, 10*i
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32+1)
	if err != nil || n < 1 || n > math.MaxInt>>shift {
		return 0, usagef("%s %q is no positive number of bytes, KiB, MiB or GiB", flag, text)
	}
	return int(n) << shift, nil
}
