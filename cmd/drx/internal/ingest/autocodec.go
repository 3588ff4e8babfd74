package ingest

import (
	"slices"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/dtype"
	"drx/nd"
)

// chooseCodec chooses the codec of an array that is to be created by elements of the first file,
// which fills shape; frame is the dimension that the file does not have, or -1.
func (c *creation) chooseCodec(spec *drx.Spec, first *source, shape []int, frame int) error {
	if first.Streamed {
		return cli.Usagef("append: --codec auto: %s cannot be read twice: name a codec, or give a file", first.name)
	}
	fill := make([]byte, spec.DType.Size())
	convert, err := dtype.NewConverter(first.DType, spec.DType, true, fill)
	if err != nil {
		return err
	}
	chunk := spec.ChunkShape
	if chunk == nil {
		chunk = drx.DefaultChunk(spec.DType, spec.Shape)
	}
	var samples [][]byte
	for _, sec := range drx.CodecSamples(spec.DType, nd.Box(make([]int, len(shape)), shape), chunk) {
		n, _ := sec.Len() // of a section of the file
		if frame >= 0 {
			sec = slices.Delete(sec, frame, frame+1)
		}
		buf := make([]byte, n*first.DType.Size())
		if err := first.ReadSection(sec, buf); err != nil {
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
	spec.Codec, c.choice = choice.Codec, "codec "+choice.String()
	return nil
}
