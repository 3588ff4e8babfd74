package convert

import (
	"bytes"
	"fmt"
	"io"

	"drx/convert/raster"
)

// pictureFormat is the format of pictures. They can only be read: drx draws pictures of arrays, but stores
// no data in them.
var pictureFormat = Format{
	Name:       "picture",
	Extensions: []string{".png", ".tif", ".tiff", ".pbm", ".pgm", ".ppm", ".pnm"},
	Recognise:  raster.Match,
	Open:       openPicture,
}

func openPicture(in *Input) (Reader, error) {
	if err := in.checkUnnamed(); err != nil {
		return nil, err
	}
	file, size, memory := in.File, in.Size, in.Memory
	if file == nil {
		data, err := readLimited(in.Stream, memory/4)
		if err != nil {
			return nil, err
		}
		// The buffer has grown by doubling. What remains of the limit is for decoding.
		file, size, memory = bytes.NewReader(data), int64(len(data)), memory-int64(cap(data))
	}
	r, err := raster.NewReader(file, size, memory)
	if err != nil {
		return nil, err
	}
	return newStream(Info{DType: r.DType, Shape: r.Shape}, r, func() (io.Reader, error) {
		return raster.NewReader(file, size, memory)
	})
}

// readLimited reads a stream of at most limit bytes into memory.
func readLimited(r io.Reader, limit int64) ([]byte, error) {
	var data bytes.Buffer
	if _, err := io.Copy(&data, io.LimitReader(r, limit+1)); err != nil {
		return nil, err
	}
	if int64(data.Len()) > limit {
		return nil, fmt.Errorf("picture: %w: a stream may have %d bytes, a quarter of the limit", ErrMemory, limit)
	}
	return data.Bytes(), nil
}
