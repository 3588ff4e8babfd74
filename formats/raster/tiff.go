package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"drx/internal/errkind"

	"golang.org/x/image/tiff"
)

// A TIFF file starts with the byte order (II or MM), the number 42 and the offset of
// the first directory. A directory is
//
//	count    2 bytes
//	entries  12 bytes each: tag, type (2 bytes each), number of values, and the values
//	         themselves or, when they take more than 4 bytes, their offset
//	next     4 bytes: the offset of the next page's directory, 0 after the last
//
// Package x/image/tiff decodes only the first page of a file. To decode another one, it is
// given a view of the file with another directory in the header.

func isTIFF(head []byte) bool {
	for _, magic := range []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"} {
		if strings.HasPrefix(string(head), magic) {
			return true
		}
	}
	return false
}

// The tags that decide whether and how a page is read.
const (
	tagSubfile      = 254
	tagWidth        = 256
	tagHeight       = 257
	tagBits         = 258
	tagCompression  = 259
	tagPhotometric  = 262
	tagFillOrder    = 266
	tagSamples      = 277
	tagRowsPerStrip = 278
	tagPlanar       = 284
	tagFaxGroup3    = 292
	tagFaxGroup4    = 293
	tagPredictor    = 317
	tagTileWidth    = 322
	tagTileLength   = 323
	tagExtraSamples = 338
	tagSampleFormat = 339
)

const (
	bigTIFF       = 43
	entrySize     = 12
	maxValues     = 16    // values kept of a tag
	reducedOrMask = 1 | 4 // bits of the subfile tag
)

// typeSizes are the sizes in bytes of the types of the tags above: byte, short and long.
var typeSizes = map[uint16]int{1: 1, 3: 2, 4: 4}

// A tiffFile is a TIFF file whose directories are being read.
type tiffFile struct {
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
}

// directory maps the tags of one page to their first values.
type directory map[uint16][]uint

// openTIFF reads all directories. It skips reduced copies and masks of other pages, such as
// the overviews of a GeoTIFF file.
func openTIFF(r io.ReaderAt, size, memory int64) ([]page, error) {
	pages, err := (&tiffFile{r: r, size: size, order: binary.LittleEndian}).pages()
	for i, p := range pages {
		if err == nil {
			if err = p.check(memory); err != nil {
				err = fmt.Errorf("page %d: %w", i, err)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return pages, nil
}

// pages reads all directories, without a limit on the memory of the pages.
func (f *tiffFile) pages() ([]page, error) {
	var head [8]byte
	if err := f.readAt(head[:], 0); err != nil {
		return nil, err
	}
	if head[0] == 'M' {
		f.order = binary.BigEndian
	}
	if f.order.Uint16(head[2:]) == bigTIFF {
		return nil, fmt.Errorf("BigTIFF: %w", ErrMode)
	}
	var pages []page
	seen := map[uint32]bool{}
	for at := f.order.Uint32(head[4:]); at != 0; {
		if seen[at] {
			return nil, errkind.Errorf(ErrFormat, "directory at byte %d follows itself", at)
		}
		seen[at] = true
		dir, next, err := f.directory(int64(at))
		if err != nil {
			return nil, err
		}
		if len(pages) == 0 || dir.first(tagSubfile, 0)&reducedOrMask == 0 {
			p, err := f.page(dir, at)
			if err != nil {
				return nil, fmt.Errorf("page %d: %w", len(pages), err)
			}
			pages = append(pages, p)
		}
		at = next
	}
	if len(pages) == 0 {
		return nil, errkind.Errorf(ErrFormat, "no pages")
	}
	return pages, nil
}

// page checks that the page of the directory at byte at can be decoded.
func (f *tiffFile) page(dir directory, at uint32) (page, error) {
	p, err := dir.page()
	if err != nil {
		return p, err
	}
	p.memory = f.memoryOf(p, dir)
	p.compression = readCompressions[dir.first(tagCompression, uncompressed)]
	p.plain = p.channels == 1 && dir.first(tagPhotometric, 0) == blackIsZero && dir.bits()[0] >= 8
	if err := p.check(math.MaxInt64); errors.Is(err, ErrFormat) {
		return p, err
	}
	file := func() io.Reader { return io.NewSectionReader(f.withDirectory(at), 0, f.size) }
	if _, err := tiff.DecodeConfig(file()); err != nil {
		return p, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	p.open = func() (rows, error) {
		decoded, err := p.decode(tiff.Decode, file())
		if err != nil || !dir.reversedFax() {
			return decoded, err
		}
		return func(y, n int) ([]byte, error) {
			out, err := decoded(y, n)
			for i := range out {
				out[i] = ^out[i]
			}
			return out, err
		}, nil
	}
	return p, nil
}

// memoryOf returns an upper bound for the memory that x/image/tiff needs to decode a page, in
// bytes. It holds all pixels, with one or four samples each, and one strip or tile, with up to 8
// bytes per pixel, in a buffer that grows by doubling. Uncompressed strips are not larger than the
// file.
func (f *tiffFile) memoryOf(p page, dir directory) int64 {
	depth := int64(4 * p.dtype.Size())
	if p.channels == 1 || dir.first(tagPhotometric, 0) == palette {
		depth = int64(p.dtype.Size())
	}
	block := int64(min(dir.first(tagRowsPerStrip, math.MaxInt32), uint(p.height))) * int64(p.width)
	if width := dir.first(tagTileWidth, 0); width > 0 {
		// x/image/tiff rejects tiles of more than 1024 rows or columns if they are larger than the
		// page.
		height := dir.first(tagTileLength, 0)
		block = int64(min(width, uint(max(p.width+16, 1024)))) * int64(min(height, uint(max(p.height+16, 1024))))
	}
	if block *= 2 * 8; dir.first(tagCompression, uncompressed) == uncompressed {
		block = min(block, f.size)
	}
	return depth*p.pixels() + block
}

// directory reads the directory at byte at and the offset of the next one.
func (f *tiffFile) directory(at int64) (dir directory, next uint32, err error) {
	var count [2]byte
	if err := f.readAt(count[:], at); err != nil {
		return nil, 0, err
	}
	n := int(f.order.Uint16(count[:]))
	b := make([]byte, n*entrySize+4)
	if err := f.readAt(b, at+2); err != nil {
		return nil, 0, err
	}
	dir = directory{}
	for ; n > 0; n-- {
		if err := f.entry(dir, b[:entrySize]); err != nil {
			return nil, 0, err
		}
		b = b[entrySize:]
	}
	return dir, f.order.Uint32(b), nil
}

// entry adds the values of one entry to dir if its tag is listed above.
func (f *tiffFile) entry(dir directory, b []byte) error {
	tag := f.order.Uint16(b)
	switch tag {
	case tagSubfile, tagWidth, tagHeight, tagBits, tagCompression, tagPhotometric, tagFillOrder, tagSamples, tagPlanar,
		tagFaxGroup3, tagFaxGroup4, tagPredictor, tagExtraSamples, tagSampleFormat, tagRowsPerStrip, tagTileWidth, tagTileLength:
	default:
		return nil
	}
	kind := f.order.Uint16(b[2:])
	size, ok := typeSizes[kind]
	if !ok {
		return errkind.Errorf(ErrFormat, "tag %d has type %d, which TIFF does not know", tag, kind)
	}
	count, values := f.order.Uint32(b[4:]), b[8:]
	n := int(min(count, maxValues))
	if uint64(count)*uint64(size) > 4 {
		values = make([]byte, n*size)
		if err := f.readAt(values, int64(f.order.Uint32(b[8:]))); err != nil {
			return err
		}
	}
	for i := range n {
		dir[tag] = append(dir[tag], f.uint(values[i*size:][:size]))
	}
	return nil
}

// uint reads a number of 1, 2 or 4 bytes.
func (f *tiffFile) uint(b []byte) uint {
	switch len(b) {
	case 1:
		return uint(b[0])
	case 2:
		return uint(f.order.Uint16(b))
	}
	return uint(f.order.Uint32(b))
}

// readAt fills b from byte at of the file.
func (f *tiffFile) readAt(b []byte, at int64) error {
	if end := at + int64(len(b)); end > f.size {
		return errkind.Of(ErrFormat, errkind.Errorf(io.ErrUnexpectedEOF, "expected bytes up to %d, found %d", end, f.size))
	}
	_, err := f.r.ReadAt(b, at)
	if err == io.EOF { // an io.ReaderAt may return it with the last bytes
		err = nil
	}
	return err
}

// withDirectory returns the file with a header that points to the directory at byte at.
func (f *tiffFile) withDirectory(at uint32) io.ReaderAt {
	head := make([]byte, 8)
	copy(head, "II*\x00")
	if f.order == binary.BigEndian {
		copy(head, "MM\x00*")
	}
	f.order.PutUint32(head[4:], at)
	return headerView{f.r, head}
}

// A headerView is a file whose first bytes are replaced by head.
type headerView struct {
	io.ReaderAt
	head []byte
}

// ReadAt implements io.ReaderAt; off is not negative.
func (v headerView) ReadAt(p []byte, off int64) (int, error) {
	n, err := v.ReaderAt.ReadAt(p, off)
	if off < int64(len(v.head)) {
		copy(p[:n], v.head[off:])
	}
	return n, err
}
