package rechunk

import (
	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/dtype"
	"drx/nd"
)

// chooseCodec replaces codec auto in the specification of a new array by a codec that is chosen by
// trying some on elements of the source, and prints which. read reads a section of the new array
// from the source, in the source's type; round, which may be nil, rounds elements of the new array.
func chooseCodec(cmd *cobra.Command, name string, spec *drx.Spec, from dtype.DType, round func(elements []byte) error, read func(sec nd.Section, buf []byte) error) error {
	if spec.Codec != drx.AutoCodec {
		return nil
	}
	hi := make([]int, len(spec.Lo))
	for d, n := range spec.Shape {
		hi[d] = spec.Lo[d] + n
	}
	note, err := cli.ChooseCodec(spec, nd.Box(spec.Lo, hi), from, round, read)
	if err == nil {
		cli.NoteOf(cmd, name, note)
	}
	return err
}
