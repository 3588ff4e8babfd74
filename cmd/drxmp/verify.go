package main

import (
	"context"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/internal/result"
	"drx/internal/errkind"
	"drx/parallel/drxmp"
)

func (c *command) verify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify ARRAY",
		Short: "Check every chunk against its checksum",
		Long: `Read every chunk that was ever written and check it against its checksum; each process checks its share.
The exit code is 0 if nothing is damaged; otherwise it is 1, and a line is printed for each damaged chunk.`,
		Example: `  mpirun -n 4 drxmp verify radar`,
		Args:    exactly("ARRAY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd, func(p *process) error {
				return p.with(args[0], drx.Options{Examine: true}, func(a *drxmp.Array) error { return p.verify(cmd.Context(), a) })
			})
		},
	}
}

func (p *process) verify(ctx context.Context, a *drxmp.Array) error {
	r, err := a.Verify(ctx)
	if err != nil {
		return err
	}
	if err := p.printReport(a, r); err != nil {
		return err
	}
	if n := len(r.Damaged); n > 0 {
		return errkind.Errorf(drx.ErrCorrupt, "%s: %d of %d chunks written are damaged", a.Name(), n, r.Written)
	}
	return r.LogDamage
}

// printReport reports that all is good, or prints the damage at once, because an error follows.
func (p *process) printReport(a *drxmp.Array, r drx.VerifyReport) error {
	switch {
	case r.Good():
		return p.reportResult(result.NewVerify(a.Name(), r), func() {
			p.reportf("%s: %d of %d chunks written, all good\n", a.Name(), r.Written, r.Chunks)
		})
	case p.asJSON:
		return result.Print(p.out, result.NewVerify(a.Name(), r))
	}
	for _, d := range r.Damaged {
		if err := p.printf("chunk %d %v: %v\n", d.Number, d.ChunkIndex, d.Err); err != nil {
			return err
		}
	}
	return nil
}
