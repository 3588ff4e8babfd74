package main

import (
	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/internal/result"
	"drx/nd"
)

func newFill() *cobra.Command {
	var section, value string
	cmd := &cobra.Command{
		Use:     "fill ARRAY --value V",
		Short:   "Set every element of a section to a value",
		GroupID: groupData,
		Long: `Set every element of a section, or of the whole array, to a value. If that is the array's fill
value, chunks that were never written stay unwritten. After an error or an interruption the
array is as it was before.`,
		Example: `  drx fill A --value NaN
  drx fill A --value -1 --section -5:0,:`,
		Args:              exactly("ARRAY"),
		ValidArgsFunction: completeOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := requireFlags(cmd, "value"); err != nil {
				return err
			}
			return changeArray(args[0], func(a *drx.Array) error { return fill(cmd, a, section, value) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&value, "value", "", "`value` in the notation of the element type: 7, 1.5, NaN, 1+2i, true")
	f.StringVar(&section, "section", "", "`ranges` to fill: 2:6,3:9:2 (default: the whole array)")
	return cmd
}

func fill(cmd *cobra.Command, a *drx.Array, section, value string) error {
	element, err := a.DType().Encode(value)
	if err != nil {
		return usagef("%s: --value: %w", a.Name(), err)
	}
	sec, err := parseSection(a, section)
	if err != nil {
		return err
	}
	p := newProgress(cmd, sectionBytes(a, sec))
	err = eachSlab(cmd.Context(), a, sec, nd.RowMajor, func(slab nd.Section, n int) error {
		defer p.add(n)
		return a.FillBytes(slab, element)
	})
	p.end()
	if err != nil {
		return err
	}
	if err := a.Sync(); err != nil {
		return err
	}
	filled := result.Fill{Section: result.NewSection(a.Name(), sec), Value: a.DType().ToJSON(element)}
	return printResult(cmd, filled, "%s: filled %v with %s\n", printable(a.Name()), sec, a.DType().Format(element))
}
