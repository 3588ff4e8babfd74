//go:build netcdf && cgo

package netcdf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
)

// A header locates the elements of a classic file. Its layout is in the NetCDF User's Guide,
// appendix "File Format Specifications".
type header struct {
	size    int64   // of the file, in bytes
	begins  []int64 // offset of the first element of each variable
	records int64   // bytes from one record of a variable to the next
}

// headerReader reads a header. After an error it reads zeros.
type headerReader struct {
	r    *bufio.Reader
	wide bool // version 5: 64-bit counts
	left int64
	most int64 // bytes that the header may have
	read int64
	err  error
}

// The tags of lists.
const (
	absent   = 0
	tagDims  = 10
	tagVars  = 11
	tagAttrs = 12
)

// readHeader reads the header of a classic file. The error wraps io.ErrUnexpectedEOF if the file is
// shorter than the counts of the header require, and formats.ErrMemory if the header is larger than
// memory bytes.
func readHeader(file io.ReaderAt, size, memory int64) (*header, error) {
	r := &headerReader{r: bufio.NewReader(io.NewSectionReader(file, 0, size)), left: size, most: memory}
	magic := r.bytes(4)
	version := magic[3]
	r.wide = version == 5
	r.count() // number of records: the library reports it
	lens := make([]int64, 0, 8)
	r.list(tagDims, 8, func() {
		r.name()
		lens = append(lens, r.count())
	})
	r.attrs()
	h := &header{size: size}
	var inRecords []int64
	r.list(tagVars, 24, func() {
		r.name()
		isRecord := false
		for i := range r.counted(4) {
			d := r.count()
			if d < 0 || d >= int64(len(lens)) {
				r.fail(fmt.Errorf("variable %d has dimension %d of %d", len(h.begins), d, len(lens)))
				return
			}
			isRecord = isRecord || i == 0 && lens[d] == 0
		}
		r.attrs()
		r.uint32() // type
		bytes := r.count()
		begin := int64(r.uint32())
		if version != 1 {
			begin = begin<<32 | int64(r.uint32())
		}
		if h.begins = append(h.begins, begin); isRecord {
			inRecords = append(inRecords, bytes)
		}
	})
	if r.err != nil {
		return nil, fmt.Errorf("header: %w", r.err)
	}
	h.records = recordSize(inRecords)
	return h, nil
}

// recordSize returns the bytes of a record. parts are the sizes of its parts as in the header,
// padding included. It returns 0 for a single part, which has no padding in the file.
func recordSize(parts []int64) (n int64) {
	if len(parts) == 1 {
		return 0
	}
	for _, part := range parts {
		if part < 0 || n > 1<<62-part {
			return 1 << 62
		}
		n += part
	}
	return n
}

// fail keeps the first error.
func (r *headerReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// bytes reads n bytes; n is small.
func (r *headerReader) bytes(n int) []byte {
	b := make([]byte, n)
	if r.err == nil {
		if _, err := io.ReadFull(r.r, b); err != nil {
			r.fail(io.ErrUnexpectedEOF)
			clear(b)
		}
		r.consume(int64(n))
	}
	return b
}

// consume adds n to the bytes read, and fails if they exceed the limit.
func (r *headerReader) consume(n int64) {
	r.left -= n
	if r.read += n; r.read > r.most {
		r.fail(errkind.Errorf(formats.ErrMemory, "it has more than %d bytes", r.most))
	}
}

func (r *headerReader) uint32() uint32 { return binary.BigEndian.Uint32(r.bytes(4)) }

// count reads a number of elements or bytes.
func (r *headerReader) count() int64 {
	if r.wide {
		return int64(binary.BigEndian.Uint64(r.bytes(8)))
	}
	return int64(r.uint32())
}

// counted reads the count of items of at least least bytes each, and fails if the file is too short
// for them.
func (r *headerReader) counted(least int64) int64 {
	n := r.count()
	if r.err == nil && (n < 0 || n > r.left/least) {
		r.fail(errkind.Errorf(io.ErrUnexpectedEOF, "%d things of at least %d bytes each, but %d bytes follow", uint64(n), least, max(r.left, 0)))
	}
	if r.err != nil {
		return 0
	}
	return n
}

// skip skips n bytes and their padding.
func (r *headerReader) skip(n int64) {
	n = (n + 3) &^ 3
	if r.err != nil {
		return
	}
	if n < 0 || n > r.left {
		r.fail(errkind.Errorf(io.ErrUnexpectedEOF, "%d bytes, but %d follow", n, r.left))
		return
	}
	r.consume(n)
	if _, err := io.CopyN(io.Discard, r.r, n); err != nil {
		r.fail(err)
	}
}

func (r *headerReader) name() { r.skip(r.counted(1)) }

// list reads a list of items, each of at least least bytes.
func (r *headerReader) list(tag uint32, least int64, one func()) {
	found := r.uint32()
	n := r.counted(least)
	if r.err == nil && found != tag && (found != absent || n != 0) {
		r.fail(fmt.Errorf("tag %d, where lists have %d", found, tag))
	}
	for i := int64(0); i < n && r.err == nil; i++ {
		one()
	}
}

// attrs skips attributes.
func (r *headerReader) attrs() {
	r.list(tagAttrs, 12, func() {
		r.name()
		bytes := [...]int64{0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8} // of elements of each type
		t := r.uint32()
		if r.err == nil && (t == 0 || int(t) >= len(bytes)) {
			r.fail(fmt.Errorf("an attribute of type %d", t))
			return
		}
		r.skip(r.counted(bytes[t%uint32(len(bytes))]) * bytes[t%uint32(len(bytes))])
	})
}

// check returns an error if the file ends before the last element of variable i, which has the
// given shape and elements of size bytes. The first dimension counts records if isRecord.
func (h *header) check(i int, shape []int, size int, isRecord bool) error {
	if i >= len(h.begins) {
		return fmt.Errorf("variable %d of %d", i, len(h.begins))
	}
	bytes := cformat.Multiply(int64(size), shape...)
	if bytes == 0 {
		return nil
	}
	if isRecord {
		bytes = cformat.Multiply(int64(size), shape[1:]...)
		if apart := max(h.records, bytes); shape[0] > 1 {
			bytes = min(1<<62, bytes+cformat.Multiply(apart, shape[0]-1))
		}
	}
	if h.begins[i] < 0 || h.begins[i] > h.size || bytes > h.size-h.begins[i] {
		return errkind.Errorf(io.ErrUnexpectedEOF, "its elements begin at byte %d and take %d bytes, but the file has %d", h.begins[i], bytes, h.size)
	}
	return nil
}
