package ingest

import (
	"slices"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/nd"
)

// chooseCodec chooses the codec of a new array by trying codecs on elements of the first file.
// shape is the extents of that file in the array; sliceDim is the dimension that the file lacks, or
// -1. round, which may be nil, rounds elements of the array.
func (c *creation) chooseCodec(spec *drx.Spec, first *source, shape []int, round func(elements []byte) error, sliceDim int) (err error) {
	if first.Streamed {
		return cli.Usagef("append: --codec auto: %s cannot be read twice: name a codec, or give a file", first.name)
	}
	bounds := nd.Box(make([]int, len(shape)), shape)
	c.choice, err = cli.ChooseCodec(spec, bounds, first.DType, round, func(sec nd.Section, buf []byte) error {
		if sliceDim >= 0 {
			sec = slices.Delete(sec, sliceDim, sliceDim+1)
		}
		return first.ReadSection(sec, buf)
	})
	return err
}
