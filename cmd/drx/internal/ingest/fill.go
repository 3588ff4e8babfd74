package ingest

import (
	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/selection"
	"drx/cmd/internal/result"
	"drx/cube"
	"drx/nd"
	"drx/parallel/drxmp"
)

// NewFill returns the verb fill.
func NewFill(team cli.Team) *cobra.Command {
	var o selection.Flags
	var value string
	cmd := &cobra.Command{
		Use:     "fill ARRAY --value V",
		Short:   "Set every element of a section to a value",
		GroupID: cli.GroupData,
		Long: `Set every element of a section, or of the whole array, to a value. If that is the array's fill
value, chunks that were never written stay unwritten. After an error or an interruption the
array is as it was before.

--section and --at select by indices, --sel by labels and coordinates, see read.`,
		Example: `  drx fill A --value NaN
  drx fill A --value -1 --section -5:0,:
  drx fill sales --value NaN --sel store=3,date=2013-01-01..2013-01-31`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.RequireFlags(cmd, "value"); err != nil {
				return err
			}
			if team.Comm == nil {
				return arrays.Change(cmd, args[0], func(a *drx.Array) error {
					filled, err := fill(cmd, a, o, value, a.FillBytes)
					if err != nil {
						return err
					}
					if err := a.Sync(); err != nil {
						return err
					}
					return confirmFill(cmd, filled)
				})
			}
			var filled result.Fill
			err := arrays.ChangeTogether(cmd, team, args[0], func(a *drx.Array, all *drxmp.Array) (err error) {
				filled, err = fill(cmd, a, o, value, all.FillZone)
				return err
			})
			if err != nil {
				return err
			}
			return confirmFill(cmd, filled)
		},
	}
	f := cmd.Flags()
	f.StringVar(&value, "value", "", "`value` in the notation of the element type: 7, 1.5, NaN, 1+2i, true")
	o.AddTo(cmd)
	cli.AddWaitFlag(cmd)
	return cmd
}

// fill fills what the flags select of an array, by a function for sections.
func fill(cmd *cobra.Command, a *drx.Array, o selection.Flags, value string, fillBytes func(sec nd.Section, element []byte) error) (result.Fill, error) {
	element, err := a.DType().Encode(value)
	if err != nil {
		return result.Fill{}, cli.Usagef("%s: --value: %w", a.Name(), err)
	}
	found, err := o.Of(a)
	if err != nil {
		return result.Fill{}, err
	}
	cli.Note(cmd, a, found.Note)
	sel := found.Sel
	p := progress.New(cmd, selection.SelectionBytes(a, sel))
	defer p.End()
	err = sel.Boxes(func(box nd.Section, _ []int) error {
		return selection.EachSlab(cmd.Context(), a, box, nd.RowMajor, func(slab nd.Section, n int) error {
			defer p.Add(n)
			return fillBytes(slab, element)
		})
	})
	return result.Fill{Section: newSelectionResult(a.Name(), sel), Value: a.DType().ToJSON(element), Text: a.DType().Format(element)}, err
}

// confirmFill prints what was filled.
func confirmFill(cmd *cobra.Command, filled result.Fill) error {
	return cli.Confirm(cmd, filled, "%s: filled %s with %s\n", cli.Printable(filled.Name), filled.Section.Section, filled.Text)
}

// newSelectionResult describes a selection as JSON: lo and hi are the bounds of all of its indices.
func newSelectionResult(name string, sel cube.Selection) result.Section {
	r := result.Section{Name: name, Section: selection.FormatSelection(sel)}
	for _, x := range sel {
		lo, hi := 0, 0
		if n := x.Len(); n > 0 {
			lo, hi = x.At(0), x.At(n-1)+1
		}
		r.Lo, r.Hi = append(r.Lo, lo), append(r.Hi, hi)
	}
	return r
}
