package inspect

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
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/dtype"
	"drx/internal/errkind"
)

// logBesideArray is the value of --from-log without a file. It stands for the log beside the array.
const logBesideArray = "ARRAY" + accesslog.Ext

// adviseOptions are the flags of advise.
type adviseOptions struct {
	access                                     []string
	dtype, shape, block, stripe, fromLog, only string
	floor, codec                               string
}

// NewAdvise returns the verb advise.
func NewAdvise() *cobra.Command {
	var o adviseOptions
	cmd := &cobra.Command{
		Use:     "advise [ARRAY] (--access N,N,...[:WEIGHT]... | --from-log[=FILE] | --codec[=CODEC,...])",
		Short:   "Find the best chunk shape for an access pattern, or the best codec",
		GroupID: cli.GroupStorage,
		Long: `Find the chunk shape for which accesses touch the fewest chunks on average. The search is
exact: no other shape that fits a block does better. Chunks have at least --floor bytes, as far
as the block and the extents of the array allow: each has an entry in the chunk table and is
read from the disk by itself, which costs more for smaller chunks than their number suggests.

Each --access gives the shape of the sections that are read or written and, optionally, their
weight among all accesses; the sections may lie anywhere. --from-log uses the accesses that
a program counted with package advise/accesslog; without a file it reads ARRAY.access.

For a given array, its element type and its extents are used. Dimensions that have grown count
as unbounded. --shape overrides the extents: no chunk is longer than they are, and 0 means
unbounded.

Of an array with elements it also tries codecs on some chunks, as --codec auto does, and says what
the advised one and the present one store, and what that takes in the blocks of 4 KiB in which file
systems give space; there is a warning if chunks are too small to gain much.

--codec tries codecs on up to eight chunks of an array, those of the list or the usual ones, and
prints what they store, in bytes and in blocks of 4 KiB, and how fast one core writes and reads
with them. It advises what --codec auto chooses, which does not depend on the speed of the machine.
Of an array that has grown beyond its chunks it says which chunks suit it now, and the command
that copies it to them; so do the other forms.

With --stripe, the stripe size of a parallel file system, a chunk's slot in the file divides a
stripe or is a multiple of it. The result then has the value of --align for create.`,
		Example: `  drx advise --access 1,5,4:0.7 --access 2,5,2:0.3 --block 1MiB
  drx advise --dtype int16 --shape 0,512,512 --access 1,512,512:0.9 --access 1000,1,1:0.1
  drx advise radar --from-log --stripe 4MiB --json
  drx advise radar --codec`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.Usagef("advise: want one array, got %d arguments; give a log as --from-log=FILE", len(args))
			}
			return nil
		},
		ValidArgsFunction: cli.CompleteOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.codec != "" {
				return o.codecs(cmd, args)
			}
			t, err := o.request(cmd, args)
			if err != nil {
				return err
			}
			a, err := t.advise()
			if err != nil && len(o.access) > 0 {
				return cli.AsUsageError(err)
			}
			if err != nil {
				return err
			}
			if cli.WantsJSON(cmd) {
				return cli.PrintJSON(cmd.OutOrStdout(), a)
			}
			return a.print(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.access, "access", nil, "`extents` of sections, in elements, and their weight (default: 1)")
	f.StringVar(&o.fromLog, "from-log", "", "`file` with counted accesses")
	f.Lookup("from-log").NoOptDefVal = logBesideArray
	f.StringVar(&o.only, "only", "", "`operation` to use from the log: read or write (default: both)")
	f.StringVar(&o.dtype, "dtype", "float64", "element `type`, if there is no array")
	f.StringVar(&o.shape, "shape", "", "`extents` of the array, in elements; 0 for unbounded")
	f.StringVar(&o.block, "block", "1MiB", "largest `size` of a chunk, in bytes or KiB, MiB, GiB")
	f.StringVar(&o.floor, "floor", "4KiB", "least `size` of a chunk, at most that of the block; 1 for none")
	f.StringVar(&o.stripe, "stripe", "", "stripe `size` of the file system, in bytes or KiB, MiB, GiB")
	f.StringVar(&o.codec, "codec", "", "`codecs` to try on the chunks of the array (default: usual ones)")
	f.Lookup("codec").NoOptDefVal = usualCodecs
	cli.CompleteFlag(cmd, "dtype", cobra.FixedCompletions(cli.DtypeNames(), cobra.ShellCompDirectiveNoFileComp))
	cli.CompleteFlag(cmd, "only", cobra.FixedCompletions([]string{"read", "write"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// An adviceRequest is the problem to solve, and what the answer is compared with.
type adviceRequest struct {
	problem advise.Problem
	dtype   dtype.DType
	current []int // the chunk shape of the array, nil without one
	covered float64
	codec   *codecAdvice  // nil without an array that has written chunks
	name    string        // of the array
	larger  *largerChunks // nil if the chunks of the array are large enough
}

// request converts the command line to a request.
func (o adviseOptions) request(cmd *cobra.Command, args []string) (*adviceRequest, error) {
	t := &adviceRequest{covered: 1}
	var err error
	if t.problem.Block, err = cli.ParseBytes("--block", o.block); err != nil {
		return nil, err
	}
	if t.problem.Floor, err = cli.ParseBytes("--floor", o.floor); err != nil {
		return nil, err
	}
	if cmd.Flags().Changed("floor") && t.problem.Floor > t.problem.Block {
		return nil, cli.Usagef("advise: --floor %s: the largest size of a chunk is --block %s", o.floor, o.block)
	}
	t.problem.Floor = min(t.problem.Floor, t.problem.Block)
	if t.problem.Stripe, err = cli.ParseBytes("--stripe", o.stripe); err != nil {
		return nil, err
	}
	if t.dtype, err = cli.ParseType(o.dtype); err != nil {
		return nil, err
	}
	if t.problem.Shape, err = cli.ParseInts("--shape", o.shape); err != nil {
		return nil, err
	}
	if len(args) == 1 {
		if cmd.Flags().Changed("dtype") {
			return nil, cli.Usagef("advise: --dtype %s: the array has its own element type; omit --dtype", o.dtype)
		}
		if err := arrays.With(args[0], false, t.useArray); err != nil {
			return nil, err
		}
	}
	t.problem.ElemSize = t.dtype.Size()
	return t, o.pattern(t, args)
}

// useArray reads the element type, the chunk shape and the extents of an array. A dimension that
// has grown before counts as unbounded, because it is likely to grow again.
func (t *adviceRequest) useArray(a *drx.Array) error {
	t.name, t.dtype, t.current = a.Name(), a.DType(), a.ChunkShape()
	var err error
	if t.codec, err = adviseCodec(a); err != nil {
		return err
	}
	if t.larger, err = largerChunksFor(a); err != nil {
		return err
	}
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

// rank returns the number of extents that each access must have, or 0 if any number will do.
func (t *adviceRequest) rank() int {
	if t.problem.Shape == nil && len(t.problem.Accesses) > 0 {
		return len(t.problem.Accesses[0].Box)
	}
	return len(t.problem.Shape)
}

// pattern collects the accesses of the command line and of the log.
func (o adviseOptions) pattern(t *adviceRequest, args []string) error {
	switch {
	case (len(o.access) > 0) == (o.fromLog != ""):
		return cli.Usagef("advise needs --access, --from-log or --codec; see 'drx advise --help'")
	case o.only != "" && (o.fromLog == "" || o.only != "read" && o.only != "write"):
		return cli.Usagef("advise: --only %q: want read or write, together with --from-log", o.only)
	case o.fromLog == logBesideArray && len(args) == 0:
		return cli.Usagef("advise: --from-log needs an array or a file: --from-log=FILE")
	}
	for _, text := range o.access {
		a, err := parseAccess(text)
		if err != nil {
			return err
		}
		if rank := t.rank(); rank > 0 && len(a.Box) != rank {
			return cli.Usagef("--access %s: %d extents; want %d, one for each dimension", text, len(a.Box), rank)
		}
		t.problem.Accesses = append(t.problem.Accesses, a)
	}
	if o.fromLog == "" {
		return nil
	}
	name := o.fromLog
	if name == logBesideArray {
		name = drx.BaseName(args[0]) + accesslog.Ext
	}
	counts, err := readAccessLog(name)
	if err != nil {
		return err
	}
	return t.useCounts(name, counts, o.only)
}

// parseAccess parses extents and a weight: 1,5,4:0.7.
func parseAccess(text string) (a advise.Access, err error) {
	box, weight, weighted := strings.Cut(text, ":")
	a.Weight = 1
	if weighted {
		if a.Weight, err = strconv.ParseFloat(weight, 64); err != nil || !(a.Weight > 0) || math.IsInf(a.Weight, 0) {
			return a, cli.Usagef("--access %q: weight %q is not a positive number", text, weight)
		}
	}
	a.Box, err = cli.ParseInts("--access", box)
	if err == nil && len(a.Box) == 0 {
		err = cli.Usagef("--access %q: no extents given", text)
	}
	return a, err
}

func readAccessLog(name string) ([]accesslog.Entry, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; a program creates it with package advise/accesslog", err)
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

// useCounts adds the accesses of a log to the request. A box logged before a dimension was added
// gets extent 1 in it. A dimension in which a box exceeds the array becomes unbounded.
func (t *adviceRequest) useCounts(name string, counts []accesslog.Entry, only string) error {
	rank := max(len(t.problem.Shape), len(t.current))
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
			return errkind.Errorf(drx.ErrRank, "%s: box %s of rank %d in an array of rank %d", name, cli.FormatShape(a.Box), len(a.Box), rank)
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
		return errkind.Errorf(advise.ErrPattern, "%s: the log has no accesses", name)
	}
	t.problem.Accesses, t.covered = advise.Merge(all, t.problem.Shape, loggedClasses)
	return nil
}

// loggedClasses is the number of access classes that a log is reduced to, so that a person can read
// the result.
const loggedClasses = 16
