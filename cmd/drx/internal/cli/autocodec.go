package cli

import (
	"drx"
	"drx/dtype"
	"drx/nd"
)

// ChooseCodec sets the codec of an array that is to be created with the given bounds, and returns a
// note about the choice. It tries the codecs on sample chunks: read fills a buffer with the
// elements of a section in type from, in the order of their source; round, which may be nil, rounds
// elements of the array's type. Values out of the range of that type are clipped here; the copy
// itself reports them.
func ChooseCodec(spec *drx.Spec, bounds nd.Section, from dtype.DType, round func(elements []byte) error, read func(sec nd.Section, buf []byte) error) (note string, err error) {
	convert, err := dtype.NewConverter(from, spec.DType, true, make([]byte, spec.DType.Size()))
	if err != nil {
		return "", err
	}
	chunk := spec.ChunkShape
	if chunk == nil {
		chunk = drx.DefaultChunk(spec.DType, spec.Shape)
	}
	var samples [][]byte
	for _, sec := range drx.CodecSamples(spec.DType, bounds, chunk) {
		n, _ := sec.Len() // of a section of what is read
		buf := make([]byte, n*from.Size())
		if err := read(sec, buf); err != nil {
			return "", err
		}
		if convert != nil {
			stored := buf
			buf = make([]byte, n*spec.DType.Size())
			if err := convert.Apply(buf, stored); err != nil {
				return "", err
			}
		}
		if round != nil {
			if err := round(buf); err != nil {
				return "", err
			}
		}
		samples = append(samples, buf)
	}
	choice := drx.ChooseCodec(spec.DType, samples...)
	spec.Codec = choice.Codec
	return "codec " + choice.String(), nil
}
