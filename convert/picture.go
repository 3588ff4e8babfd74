package convert

import (
	"bytes"
	"fmt"
	"io"

	"drx/convert/raster"
)

// pictureFormat is pictures, which are read only: drx draws them, but keeps no data in them.
var pictureFormat = Format{
	Name:       "picture",
	Extensions: []string{".png", ".tif", ".tiff", ".pbm", ".pgm", ".ppm", ".pnm"},
	Recognise:  raster.Match,
	Open:       openPicture,
}

func openPicture(in *Input) (Reader, error) {
	if err := in.only(); err != nil {
		return nil, err
	}
	file, size, memory := in.File, in.Size, in.Memory
	if file == nil {
		data, err := hold(in.Stream, memory/4)
		if err != nil {
			return nil, err
		}
		// The buffer has grown by doubling, and must leave memory for what is decoded.
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

// hold reads a stream into memory, most bytes at most.
func hold(r io.Reader, most int64) ([]byte, error) {
	var data bytes.Buffer
	if _, err := io.Copy(&data, io.LimitReader(r, most+1)); err != nil {
		return nil, err
	}
	if int64(data.Len()) > most {
		return nil, fmt.Errorf("picture: %w: a stream may have %d bytes, a quarter of the limit", ErrMemory, most)
	}
	return data.Bytes(), nil
}
