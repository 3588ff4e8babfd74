package raster

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"drx/dtype"
	"drx/internal/errkind"
)

// A PFM file is Pf (grey) or PF (red, green, blue), the width, the height and a scale, each
// followed by one blank or end of line, then float32 samples, rows from the bottom. The samples are
// little-endian if the scale is negative. The scale itself is not applied.
type pfm struct {
	page
	r      io.ReaderAt
	start  int64 // of the samples
	little bool
	rows   []byte
}

func isPFM(head []byte) bool {
	return len(head) > 2 && head[0] == 'P' && (head[1] == 'f' || head[1] == 'F') && isBlank(head[2])
}

func openPFM(r io.ReaderAt, size, memory int64) ([]page, error) {
	head := &pnm{in: bufio.NewReader(io.NewSectionReader(r, 0, size))}
	head.byte()
	kind, _ := head.byte()
	p := &pfm{page: page{channels: 1, dtype: dtype.Float32}, r: r}
	if kind == 'F' {
		p.channels = 3
	}
	for i, field := range []*int{&p.width, &p.height} {
		n, err := head.readNumber(math.MaxInt32)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", [2]string{"width", "height"}[i], err)
		}
		*field = n
	}
	word, err := head.word()
	if err != nil {
		return nil, fmt.Errorf("scale: %w", err)
	}
	scale, err := strconv.ParseFloat(word, 64)
	if err != nil || scale == 0 {
		return nil, errkind.Errorf(ErrFormat, "scale %.20q is not a number above or below 0", word)
	}
	p.little, p.start = scale < 0, head.pos
	if err := p.check(memory); err != nil {
		return nil, err
	}
	need := int64(p.height) * int64(p.rowBytes())
	switch have := size - p.start; {
	case have < need:
		return nil, errkind.Of(ErrFormat, errkind.Errorf(io.ErrUnexpectedEOF, "%d x %d pixels: expected %d bytes of samples, found %d", p.width, p.height, need, have))
	case have > need:
		return nil, errkind.Errorf(ErrFormat, "%d x %d pixels: expected %d bytes of samples, found %d", p.width, p.height, need, have)
	}
	p.open = func() (rows, error) { return p.samples, nil }
	return []page{p.page}, nil
}

// samples reads n rows and turns them upside down.
func (p *pfm) samples(y, n int) ([]byte, error) {
	row := p.rowBytes()
	p.rows = slices.Grow(p.rows[:0], n*row)[:n*row]
	if got, err := p.r.ReadAt(p.rows, p.start+int64(p.height-y-n)*int64(row)); got < len(p.rows) {
		return nil, fmt.Errorf("rows %d to %d: %w", y, y+n-1, err)
	}
	for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
		a, b := p.rows[i*row:(i+1)*row], p.rows[j*row:(j+1)*row]
		for k := range a {
			a[k], b[k] = b[k], a[k]
		}
	}
	if !p.little {
		p.dtype.Swap(p.rows)
	}
	return p.rows, nil
}
