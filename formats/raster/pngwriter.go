package raster

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// A PNGWriter writes a PNG file from the top: samples as a Reader returns them. It keeps two rows
// in memory.
type PNGWriter struct {
	page
	w       io.Writer
	out     *bufio.Writer // to IDAT chunks of w
	data    *zlib.Writer
	row     []byte    // the row that is not complete
	above   []byte    // the row before, in the byte order of the file
	filters [5][]byte // the row by each filter, after the filter's number
	rows    int
}

// pngColours are the numbers of the colour types by samples per pixel.
var pngColours = map[int]byte{1: 0, 2: 4, 3: 2, 4: 6}

// NewPNGWriter writes the header of a PNG file of an array of uint8 or uint16 of shape (h, w), (h,
// w, 3), (h, w, 4), or (h, w, 2), which is grey with transparency. level is that of zlib, 1 to 9; 0
// is the default. The error wraps dtype.ErrDType, nd.ErrRank or nd.ErrBounds if PNG has no such
// picture, otherwise it is that of w.
func NewPNGWriter(w io.Writer, t dtype.DType, shape []int, level int) (*PNGWriter, error) {
	p := &PNGWriter{page: page{dtype: t, channels: 1}, w: w}
	if t != dtype.Uint8 && t != dtype.Uint16 {
		return nil, errkind.Errorf(dtype.ErrDType, "png: samples of type %v: they are uint8 or uint16", t)
	}
	if len(shape) == 3 {
		p.channels = shape[2]
	}
	if len(shape) != 2 && len(shape) != 3 || pngColours[p.channels] == 0 && p.channels != 1 {
		return nil, errkind.Errorf(nd.ErrRank, "png: shape %v: pictures are (h, w), (h, w, 3) or (h, w, 4)", shape)
	}
	if p.height, p.width = shape[0], shape[1]; p.height < 1 || p.width < 1 || p.height > math.MaxInt32 || p.width > math.MaxInt32 {
		return nil, errkind.Errorf(nd.ErrBounds, "png: shape %v: want extents of 1 to %d", shape, math.MaxInt32)
	}
	p.above = make([]byte, p.rowBytes())
	for i := range p.filters {
		p.filters[i] = append([]byte{byte(i)}, p.above...)
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(p.width))
	header = binary.BigEndian.AppendUint32(header, uint32(p.height))
	header = append(header, byte(8*t.Size()), pngColours[p.channels], 0, 0, 0)
	if _, err := io.WriteString(w, pngMagic); err != nil {
		return nil, err
	}
	if err := writeChunk(w, "IHDR", header); err != nil {
		return nil, err
	}
	if level == 0 {
		level = zlib.DefaultCompression
	}
	p.out = bufio.NewWriterSize(chunks{w}, 1<<16)
	var err error
	p.data, err = zlib.NewWriterLevel(p.out, level)
	return p, err
}

// chunks writes everything in IDAT chunks, one per call.
type chunks struct{ w io.Writer }

// Write implements io.Writer.
func (c chunks) Write(p []byte) (int, error) { return len(p), writeChunk(c.w, "IDAT", p) }

// writeChunk writes a chunk: its length, type, data and checksum.
func writeChunk(w io.Writer, kind string, data []byte) error {
	buf := binary.BigEndian.AppendUint32(make([]byte, 0, len(data)+12), uint32(len(data)))
	buf = append(append(buf, kind...), data...)
	_, err := w.Write(binary.BigEndian.AppendUint32(buf, crc32.ChecksumIEEE(buf[4:])))
	return err
}

// Write appends samples. It returns an error that wraps io.ErrShortWrite if there are more than the
// shape says.
func (p *PNGWriter) Write(samples []byte) (int, error) {
	written := 0
	for len(samples) > 0 {
		if p.rows == p.height {
			return written, errkind.Errorf(io.ErrShortWrite, "png: more samples than %d x %d pixels have", p.width, p.height)
		}
		n := min(len(samples), p.rowBytes()-len(p.row))
		p.row = append(p.row, samples[:n]...)
		samples, written = samples[n:], written+n
		if len(p.row) < p.rowBytes() {
			continue
		}
		if err := p.writeRow(); err != nil {
			return written, err
		}
		p.rows, p.row = p.rows+1, p.row[:0]
	}
	return written, nil
}

// writeRow writes a row by the filter that makes the sum of the magnitudes of its bytes, as signed
// numbers, smallest: the usual heuristic for the best compression.
func (p *PNGWriter) writeRow() error {
	p.dtype.Swap(p.row)
	pixel := p.channels * p.dtype.Size()
	best, least := 0, math.MaxInt
	for f := range p.filters {
		sum := 0
		out := p.filters[f][1:]
		for i, v := range p.row {
			var left, corner byte
			if i >= pixel {
				left, corner = p.row[i-pixel], p.above[i-pixel]
			}
			out[i] = v - predict(f, left, p.above[i], corner)
			sum += abs(int(int8(out[i])))
		}
		if sum < least {
			best, least = f, sum
		}
	}
	copy(p.above, p.row)
	_, err := p.data.Write(p.filters[best])
	return err
}

// predict returns a filter's prediction of a byte: zero, the byte to the left, the byte above,
// their mean, or the one of the three neighbours that is nearest to left + above - corner.
func predict(filter int, left, above, corner byte) byte {
	switch filter {
	case 1:
		return left
	case 2:
		return above
	case 3:
		return byte((int(left) + int(above)) / 2)
	case 4:
		p := int(left) + int(above) - int(corner)
		a, b, c := abs(p-int(left)), abs(p-int(above)), abs(p-int(corner))
		switch {
		case a <= b && a <= c:
			return left
		case b <= c:
			return above
		}
		return corner
	}
	return 0
}

func abs(n int) int { return max(n, -n) }

// Close completes the file. The error wraps io.ErrUnexpectedEOF if samples are missing. It does not
// close the underlying writer.
func (p *PNGWriter) Close() error {
	if p.rows < p.height {
		return errkind.Errorf(io.ErrUnexpectedEOF, "png: %d of %d rows were written", p.rows, p.height)
	}
	if err := p.data.Close(); err != nil {
		return err
	}
	if err := p.out.Flush(); err != nil {
		return err
	}
	return writeChunk(p.w, "IEND", nil)
}
