package rechunk

import (
	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/dtype"
	"drx/nd"
)

// chooseCodec replaces auto in the description of a new array by a codec that is chosen by elements
// of the source, and says which. read reads a section of the new array from the source, in its
// type.
func chooseCodec(cmd *cobra.Command, name string, spec *drx.Spec, from dtype.DType, read func(sec nd.Section, buf []byte) error) error {
	if spec.Codec != drx.AutoCodec {
		return nil
	}
	// The copy checks that values fit.
	convert, err := dtype.NewConverter(from, spec.DType, true, make([]byte, spec.DType.Size()))
	if err != nil {
		return err
	}
	hi := make([]int, len(spec.Lo))
	for d, n := range spec.Shape {
		hi[d] = spec.Lo[d] + n
	}
	var samples [][]byte
	for _, sec := range drx.CodecSamples(spec.DType, nd.Box(spec.Lo, hi), spec.ChunkShape) {
		n, _ := sec.Len() // of a section of the array
		buf := make([]byte, n*from.Size())
		if err := read(sec, buf); err != nil {
			return err
		}
		if convert != nil {
			stored := buf
			buf = make([]byte, n*spec.DType.Size())
			if err := convert.Apply(buf, stored); err != nil {
				return err
			}
		}
		samples = append(samples, buf)
	}
	choice := drx.ChooseCodec(spec.DType, samples...)
	spec.Codec = choice.Codec
	cli.NoteOf(cmd, name, "codec "+choice.String())
	return nil
}
