package formats

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"drx/formats/raster"
	"drx/internal/errkind"
	"drx/nd"
)

// pictureFormat is the format of pictures that are only read.
var pictureFormat = Format{
	Name:       "picture",
	Extensions: []string{".jpg", ".jpeg", ".tif", ".tiff", ".pbm", ".pgm", ".ppm", ".pnm", ".pam", ".pfm"},
	Recognise:  raster.Match,
	Open:       openPicture,
}

// pngFormat is PNG, which is written too: arrays of uint8 or uint16 that are pictures.
var pngFormat = Format{
	Name:       "png",
	Extensions: []string{".png"},
	Recognise:  func(head []byte) bool { return bytes.HasPrefix(head, []byte("\x89PNG")) && raster.Match(head) },
	Open:       openPicture,
	Create:     createPNG,
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
		// The buffer may be larger than the data, as it grew by doubling. Decoding gets the rest of
		// the limit.
		file, size, memory = bytes.NewReader(data), int64(len(data)), memory-int64(cap(data))
	}
	r, err := raster.NewReader(file, size, memory)
	if err != nil {
		return nil, err
	}
	return newStream(Info{DType: r.DType, Shape: r.Shape, Codec: CodecSpec{Name: r.Compression}}, r, func() (io.Reader, error) {
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
		return nil, fmt.Errorf("%w: a stream may have %d bytes, a quarter of the limit", ErrMemory, limit)
	}
	return data.Bytes(), nil
}

// A pngWriter writes a PNG file.
type pngWriter struct {
	*inOrder
	png *raster.PNGWriter
}

func createPNG(w io.Writer, c Content) ([]Writer, error) {
	if len(c.Vars) != 1 {
		return nil, errkind.Errorf(ErrVariable, "png: %d variables: a file has one array", len(c.Vars))
	}
	info := c.Vars[0]
	switch {
	case info.Labels != nil:
		return nil, fmt.Errorf("png: %s: strings: %w", info.Name, ErrType)
	case info.Order != nil && !slices.Equal(info.Order, nd.RowMajor.Dims(len(info.Shape))):
		return nil, errkind.Errorf(nd.ErrRank, "png: order %v: a picture is written row by row", info.Order)
	}
	png, err := raster.NewPNGWriter(struct{ io.Writer }{w}, info.DType, info.Shape, c.Deflate)
	if err != nil {
		return nil, err
	}
	out := &pngWriter{png: png}
	out.inOrder, err = newInOrder("png", info, w, func(p []byte) error {
		_, err := png.Write(p)
		return err
	})
	return []Writer{out}, err
}

// Close implements Writer.
func (w *pngWriter) Close() error { return w.end(w.png.Close) }
