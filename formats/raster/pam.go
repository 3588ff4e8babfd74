package raster

import (
	"bufio"
	"io"
	"math"
	"strconv"

	"drx/dtype"
	"drx/internal/errkind"
)

// A PAM file is P7, lines of a word and its value in any order (WIDTH, HEIGHT, DEPTH, MAXVAL,
// TUPLTYPE), a line ENDHDR, and samples like those of a raw PGM, DEPTH of them per pixel.

func isPAM(head []byte) bool { return len(head) > 2 && string(head[:2]) == "P7" && isBlank(head[2]) }

// maxDepth limits the samples of a pixel.
const maxDepth = 1 << 16

func openPAM(r io.ReaderAt, size, memory int64) ([]page, error) {
	p := &pnm{in: bufio.NewReader(io.NewSectionReader(r, 0, size)), raw: true}
	p.dtype = dtype.Uint8
	if _, err := p.line(); err != nil {
		return nil, err
	}
	fields := map[string]struct {
		value *int
		limit int
	}{
		"WIDTH": {&p.width, math.MaxInt32}, "HEIGHT": {&p.height, math.MaxInt32},
		"DEPTH": {&p.channels, maxDepth}, "MAXVAL": {&p.largest, math.MaxUint16},
	}
	for {
		line, err := p.line()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 || line[0][0] == '#' || line[0] == "TUPLTYPE" {
			continue
		}
		if line[0] == "ENDHDR" {
			break
		}
		f, known := fields[line[0]]
		if !known || len(line) != 2 {
			return nil, errkind.Errorf(ErrFormat, "header line %.40q at byte %d: want a word and its value", line, p.pos)
		}
		n, err := strconv.Atoi(line[1])
		if err != nil || n < 1 || n > f.limit {
			return nil, errkind.Errorf(ErrFormat, "%s %.20q is not between 1 and %d", line[0], line[1], f.limit)
		}
		*f.value = n
	}
	for name, f := range fields {
		if *f.value == 0 {
			return nil, errkind.Errorf(ErrFormat, "the header has no %s", name)
		}
	}
	if p.largest > 255 {
		p.dtype = dtype.Uint16
	}
	return p.pages(size, memory)
}
