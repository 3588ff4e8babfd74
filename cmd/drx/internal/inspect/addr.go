package inspect

import (
	"fmt"

	"github.com/spf13/cobra"

	"drx"
	"drx/axial"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/nd"
)

// NewAddr returns the verb addr.
func NewAddr() *cobra.Command {
	var chunk, element string
	var number int64
	cmd := &cobra.Command{
		Use:     "addr ARRAY (--chunk I,J,... | --number N | --element I,J,...)",
		Short:   "Compute where a chunk or an element is stored",
		GroupID: cli.GroupStorage,
		Long: `Compute where a chunk or an element is stored. No data is read.

  --chunk    chunk index to chunk number, its position in the .xta file
  --number   chunk number to chunk index
  --element  element to chunk index, chunk number and byte offset in the .xta file, as JSON

With --json each of them prints all three; the offset of a chunk is that of its first byte.`,
		Example: `  drx addr radar --chunk 4,2,0
  drx addr radar --number 18
  drx addr radar --element 9,7,-1`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			given := 0
			for _, flag := range []string{"chunk", "number", "element"} {
				if cmd.Flags().Changed(flag) {
					given++
				}
			}
			if given != 1 {
				return cli.Usagef("addr needs one of --chunk, --number and --element, got %d; see 'drx addr --help'", given)
			}
			return arrays.With(args[0], false, func(a *drx.Array) error {
				switch flags := cmd.Flags(); {
				case flags.Changed("chunk"):
					return chunkNumber(cmd, a, chunk)
				case flags.Changed("element"):
					return elementAddress(cmd, a, element)
				}
				return chunkIndex(cmd, a, axial.Number(number))
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&chunk, "chunk", "", "`index` of a chunk")
	f.Int64Var(&number, "number", 0, "`number` of a chunk")
	f.StringVar(&element, "element", "", "`index` of an element")
	return cmd
}

func chunkNumber(cmd *cobra.Command, a *drx.Array, text string) error {
	index, err := cli.ParseInts("--chunk", text)
	if err != nil {
		return err
	}
	grid := a.Grid()
	if err := nd.CheckIndex(index, grid.Lo(), grid.Hi()); err != nil {
		return cli.Usagef("%s: chunk %s: %w", a.Name(), text, cli.NameDim(a, err))
	}
	q, _ := grid.Number(index)
	return cli.PrintResult(cmd, chunkAddress(a, index, q), "%d\n", q)
}

func chunkIndex(cmd *cobra.Command, a *drx.Array, q axial.Number) error {
	grid := a.Grid()
	index := make([]int, grid.Rank())
	if !grid.Index(q, index) {
		return cli.Usagef("%s: chunk %d: the array has %d chunks, numbered from 0", a.Name(), q, grid.Chunks())
	}
	return cli.PrintResult(cmd, chunkAddress(a, index, q), "%s\n", cli.FormatInts(index))
}

func elementAddress(cmd *cobra.Command, a *drx.Array, text string) error {
	index, err := cli.ParseInts("--element", text)
	if err != nil {
		return err
	}
	chunk, q, offset, err := a.Layout().Locate(index...)
	if err != nil {
		return cli.AsUsageError(fmt.Errorf("%s: element %s: %w", a.Name(), text, cli.NameDim(a, err)))
	}
	return cli.PrintJSON(cmd.OutOrStdout(), address{chunk, q, offset})
}

// An address says where a chunk or an element is stored, as JSON.
type address struct {
	Chunk  []int        `json:"chunk"`
	Number axial.Number `json:"number"`
	Offset int64        `json:"offset"`
}

func chunkAddress(a *drx.Array, index []int, q axial.Number) address {
	return address{index, q, a.Layout().Offset(q)}
}
