package ingest

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/interrupt"
	"drx/cmd/internal/result"
	"drx/cube"
	"drx/internal/errkind"
	"drx/nd"
)

// reserveOptions are the flags of reserve.
type reserveOptions struct {
	dim   string
	by    int
	low   bool
	input inputOptions

	anyOrder bool
}

// NewReserve returns the verb reserve.
func NewReserve() *cobra.Command {
	var o reserveOptions
	cmd := &cobra.Command{
		Use:     "reserve ARRAY --dim DIM (--by N | FILE...)",
		Short:   "Append to an array that other processes also append to",
		GroupID: cli.GroupData,
		Long: `Grow an array along a dimension as extend does, and print the new section in the form that
--section accepts. Several reserve commands may work on one array at the same time: each gets
its own section. Meanwhile verbs that need the array for themselves fail, or wait with --wait.

Files, as append reads them, are written to the new section one after the other. Their coordinates
are compared with those that are committed when the command begins; --any-order does not compare.
Their extents then determine the length of the section, and --by, if given, must agree. All
files are checked before the array grows. The section is committed at once, and each file when
it is complete. After an error or an interruption the rest of the section reads as the fill
value.`,
		Example: `  drx reserve radar --dim time one.npy & drx reserve radar --dim time two.npy & wait
  drx reserve radar --dim time --by 24`,
		Args:              cli.AtLeast("ARRAY"),
		ValidArgsFunction: cli.CompleteInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.RequireFlags(cmd, "dim"); err != nil {
				return err
			}
			if len(args) == 1 {
				if !cmd.Flags().Changed("by") {
					return cli.Usagef("reserve needs --by N or files; see 'drx reserve --help'")
				}
			}
			return arrays.ChangeWith(cmd, args[0], drx.Options{Shared: true}, func(a *drx.Array) error { return o.reserve(cmd, a, args[1:]) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dim, "dim", "", "`dimension` to grow: number or name")
	f.IntVar(&o.by, "by", 0, "`number` of new indices, in elements (default: the extent of the files)")
	f.BoolVar(&o.low, "low", false, "grow below the lowest index")
	addAnyOrderFlag(cmd, &o.anyOrder)
	o.input.flags(cmd)
	cli.CompleteFlag(cmd, "dim", arrays.CompleteDims)
	cli.AddWaitFlag(cmd)
	return cmd
}

func (o reserveOptions) reserve(cmd *cobra.Command, a *drx.Array, names []string) error {
	d, err := cli.ParseDim(a, o.dim)
	if err != nil {
		return err
	}
	p := &appender{a: a, dim: d, low: o.low, anyOrder: o.anyOrder, input: o.input}
	defer p.close()
	total, added, err := p.check(cmd, names)
	if err != nil {
		return err
	}
	if len(p.found) > 0 {
		if c, err := cube.Of(a); err == nil {
			if _, labels := c.Labels(d); len(labels) > 0 {
				return cli.Usagef("reserve: dimension %s of %s has labels, and so have the files: those who share an array cannot add labels; use drx append", cli.DimNames(a)[d], a.Name())
			}
		}
		cli.Note(cmd, a, "without the labels of the files: those who share an array cannot add labels")
	}
	count := sum(added)
	by := count
	if cmd.Flags().Changed("by") {
		by = o.by
		if err := cli.CheckBy(by); err != nil {
			return err
		}
	}
	if len(names) > 0 && by != count {
		return cli.Usagef("%s: dimension %s: --by %d, but the files have %d", a.Name(), cli.DimNames(a)[d], by, count)
	}
	if by < 1 { // only files may have no elements
		return fmt.Errorf("%s: dimension %s: the files have no elements along it, so there is nothing to reserve", a.Name(), cli.DimNames(a)[d])
	}
	reserve := a.Reserve
	if o.low {
		reserve = a.ReserveLow
	}
	sec, err := reserve(d, by)
	if err != nil {
		return cli.AsUsageError(cli.NameDim(a, err))
	}
	p.nextSection = cutter(sec, d, o.low)
	interrupt.Changes.Keep(a, fmt.Sprintf("section %v is reserved but not filled", sec))
	p.kept = fmt.Sprintf("%%d of %%d files are written and committed, the rest of section %v reads as the fill value", sec)
	if err := p.addAll(cmd, names, total); err != nil {
		return err
	}
	return cli.PrintResult(cmd, result.NewSection(a.Name(), sec), "%v\n", sec)
}

// cutter returns a function that cuts successive pieces off a section along a dimension, starting
// at the low end or, with high, at the high end.
func cutter(sec nd.Section, d int, high bool) func(by int) (nd.Section, error) {
	rest := sec[d]
	return func(by int) (nd.Section, error) {
		if by > rest.Len() {
			return nil, errkind.Errorf(drx.ErrBounds, "dimension %d: %d indices, but %d are left in the section", d, by, rest.Len())
		}
		piece := slices.Clone(sec)
		if high {
			piece[d] = nd.Span(rest.Hi-by, rest.Hi)
			rest.Hi -= by
		} else {
			piece[d] = nd.Span(rest.Lo, rest.Lo+by)
			rest.Lo += by
		}
		return piece, nil
	}
}
