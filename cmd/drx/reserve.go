package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"drx"
	"drx/nd"
)

// reserveOptions are the flags of reserve.
type reserveOptions struct {
	dim         string
	by          int
	low, asJSON bool
	memory      pictureMemory
}

func newReserve() *cobra.Command {
	var o reserveOptions
	cmd := &cobra.Command{
		Use:     "reserve ARRAY --dim DIM (--by N | FILE...)",
		Short:   "Append to an array that other processes append to as well",
		GroupID: groupData,
		Long: `Grow an array along a dimension as extend does, and print the section that is new, as
--section takes it. Any number of reserve commands may be at work on an array at once: each
gets a section of its own. Verbs that change an array alone wait for none of them but fail.

Given files, .npy or pictures, write them there, one after the other, as append does: the
section is as long as they are, and --by, if given, must say the same. All are checked before
the array grows. Each is committed when it is complete; the section is committed at once, and
after an error or an interruption the rest of it reads as the fill value.`,
		Example: `  drx reserve radar --dim time one.npy & drx reserve radar --dim time two.npy & wait
  drx reserve radar --dim time --by 24`,
		Args:              atLeast("ARRAY"),
		ValidArgsFunction: completeInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := requireFlags(cmd, "dim"); err != nil {
				return err
			}
			if len(args) == 1 {
				if err := requireFlags(cmd, "by"); err != nil {
					return err
				}
			}
			return changeWith(args[0], drx.Options{Shared: true}, func(a *drx.Array) error { return o.reserve(cmd, a, args[1:]) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dim, "dim", "", "`dimension` to grow: number or name")
	f.IntVar(&o.by, "by", 0, "`number` of new indices, in elements (default: what the files have)")
	f.BoolVar(&o.low, "low", false, "grow below the lowest index")
	o.memory.flag(cmd)
	f.BoolVar(&o.asJSON, "json", false, "print the section as JSON")
	completeFlag(cmd, "dim", completeDims)
	return cmd
}

func (o reserveOptions) reserve(cmd *cobra.Command, a *drx.Array, names []string) error {
	d, err := parseDim(a, o.dim)
	if err != nil {
		return err
	}
	p := &appender{a: a, dim: d, memory: o.memory}
	defer p.close()
	total, added, err := p.check(names)
	if err != nil {
		return err
	}
	by := added
	if cmd.Flags().Changed("by") {
		by = o.by
	}
	if len(names) > 0 && by != added {
		return usagef("%s: dimension %s: --by %d, but the files have %d: %w", a.Name(), dimNames(a)[d], by, added, drx.ErrBounds)
	}
	reserve := a.Reserve
	if o.low {
		reserve = a.ReserveLow
	}
	sec, err := reserve(d, by)
	if err != nil {
		return valueError(err)
	}
	p.room = cutter(sec, d, o.low)
	if err := p.addAll(cmd, names, total); err != nil {
		return fmt.Errorf("section %v is reserved but not filled: %w", sec, err)
	}
	return o.print(cmd, a, sec)
}

// cutter returns a function that cuts pieces off a section along a dimension, from the low
// end or, with high, from the other one.
func cutter(sec nd.Section, d int, high bool) func(by int) (nd.Section, error) {
	rest := sec[d]
	return func(by int) (nd.Section, error) {
		if by > rest.Len() {
			return nil, fmt.Errorf("dimension %d: %d indices, there is room for %d: %w", d, by, rest.Len(), drx.ErrBounds)
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

func (o reserveOptions) print(cmd *cobra.Command, a *drx.Array, sec nd.Section) error {
	if !o.asJSON {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), sec)
		return err
	}
	lo, hi := limits(sec)
	return printJSON(cmd.OutOrStdout(), struct {
		Name    string `json:"name"`
		Section string `json:"section"`
		Lo      []int  `json:"lo"`
		Hi      []int  `json:"hi"`
	}{a.Name(), fmt.Sprint(sec), lo, hi})
}
