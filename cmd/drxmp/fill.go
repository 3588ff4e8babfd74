package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/internal/result"
	"drx/parallel/drxmp"
)

func (c *command) fill() *cobra.Command {
	var value string
	cmd := &cobra.Command{
		Use:   "fill ARRAY --value V",
		Short: "Set every element to a value",
		Long: `Set every element of an array to a value, in one commit; each process fills its zone. After an error the
array is as it was before.`,
		Example: `  mpirun -n 4 drxmp fill A --value -1`,
		Args:    exactly("ARRAY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("value") {
				return usagef("fill needs --value; see '%s --help'", cmd.CommandPath())
			}
			return c.run(cmd, func(p *process) error {
				return p.with(args[0], drx.Options{Write: true}, func(a *drxmp.Array) error { return p.fill(a, value) })
			})
		},
	}
	cmd.Flags().StringVar(&value, "value", "", "the `value`, as the element type writes it: 7, 1.5, NaN, 1+2i, true")
	return cmd
}

func (p *process) fill(a *drxmp.Array, value string) error {
	element, err := a.DType().Encode(value)
	if err != nil {
		return usagef("--value: %w", err)
	}
	for part := range ownParts(a) {
		n, _ := part.Len()
		if err := a.WriteBytes(part, bytes.Repeat(element, n), nil); err != nil {
			return err
		}
	}
	filled := result.Fill{Section: result.NewSection(a.Name(), a.Bounds()), Value: a.DType().ToJSON(element)}
	return p.reportResult(filled, func() {
		p.reportf("%s: filled %v with %s\n", a.Name(), a.Bounds(), a.DType().Format(element))
	})
}
