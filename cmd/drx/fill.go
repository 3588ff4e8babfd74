package main

import (
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/internal/result"
	"drx/cube"
	"drx/nd"
)

func newFill() *cobra.Command {
	var o selecting
	var value string
	cmd := &cobra.Command{
		Use:     "fill ARRAY --value V",
		Short:   "Set every element of a section to a value",
		GroupID: groupData,
		Long: `Set every element of a section, or of the whole array, to a value. If that is the array's fill
value, chunks that were never written stay unwritten. After an error or an interruption the
array is as it was before.

--section and --at select by indices, --sel by labels and coordinates, see read.`,
		Example: `  drx fill A --value NaN
  drx fill A --value -1 --section -5:0,:
  drx fill sales --value NaN --sel store=3,date=2013-01-01..2013-01-31`,
		Args:              exactly("ARRAY"),
		ValidArgsFunction: completeOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := requireFlags(cmd, "value"); err != nil {
				return err
			}
			return changeArray(cmd, args[0], func(a *drx.Array) error { return fill(cmd, a, o, value) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&value, "value", "", "`value` in the notation of the element type: 7, 1.5, NaN, 1+2i, true")
	o.flags(cmd)
	addWaitFlag(cmd)
	return cmd
}

// formatSelection formats a selection for people: 0:3,5:6, or 0:3|7:8,5:6.
func formatSelection(sel cube.Selection) string {
	parts := make([]string, len(sel))
	for d, x := range sel {
		parts[d] = formatIndices(x)
	}
	return strings.Join(parts, ",")
}

func fill(cmd *cobra.Command, a *drx.Array, o selecting, value string) error {
	element, err := a.DType().Encode(value)
	if err != nil {
		return usagef("%s: --value: %w", a.Name(), err)
	}
	found, err := o.of(a)
	if err != nil {
		return err
	}
	note(cmd, a, found.note)
	sel := found.sel
	p := newProgress(cmd, selectionBytes(a, sel))
	err = sel.Boxes(func(box nd.Section, _ []int) error {
		return eachSlab(cmd.Context(), a, box, nd.RowMajor, func(slab nd.Section, n int) error {
			defer p.add(n)
			return a.FillBytes(slab, element)
		})
	})
	p.end()
	if err != nil {
		return err
	}
	if err := a.Sync(); err != nil {
		return err
	}
	filled := result.Fill{Section: newSelectionResult(a.Name(), sel), Value: a.DType().ToJSON(element)}
	return confirm(cmd, filled, "%s: filled %s with %s\n", printable(a.Name()), filled.Section.Section, a.DType().Format(element))
}

// newSelectionResult describes a selection as JSON: lo and hi are the bounds of all of its indices.
func newSelectionResult(name string, sel cube.Selection) result.Section {
	r := result.Section{Name: name, Section: formatSelection(sel)}
	for _, x := range sel {
		lo, hi := 0, 0
		if n := x.Len(); n > 0 {
			lo, hi = x.At(0), x.At(n-1)+1
		}
		r.Lo, r.Hi = append(r.Lo, lo), append(r.Hi, hi)
	}
	return r
}
