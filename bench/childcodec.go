package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"drx"
	"drx/dtype"
	"drx/internal/codec"
	"drx/nd"
)

// A field is a file with the elements of an array, row-major. The peers that compress map it into
// their memory. They serve these verbs:
//
//	store   field type shape chunk path codec     creates an array with all elements; closes it
//	use     path                                  opens an array; not timed
//	whole                                         reads all of it at once
//	part    size n rounds seed                    reads n random sections per round, as read does
//	size                                          check is the stored size of the elements, in bytes
//	encode, decode  field type shape piece codec rounds
//	                                              compresses or decompresses the field in memory,
//	                                              piece bytes at a time, in one thread; the check
//	                                              of size is then that of the frames
//
// check is computed from the elements that were read, see checkOf.

// fieldTypes are the types of fields by the names that the peers know.
var fieldTypes = map[string]dtype.DType{
	"u1": dtype.Uint8, "i2": dtype.Int16, "u2": dtype.Uint16, "f4": dtype.Float32, "f8": dtype.Float64,
}

// A fieldRequest has the arguments of these verbs.
type fieldRequest struct {
	kind  dtype.DType
	shape []int
	bytes []byte // bytes per element
}

// parseField maps the field of a request; free must be called afterwards.
func parseField(q request) (f fieldRequest, free func() error, err error) {
	var ok bool
	if f.kind, ok = fieldTypes[q.text("type", "")]; !ok {
		return f, nil, fmt.Errorf("argument type=%s is not known", q.text("type", ""))
	}
	if f.shape, err = q.numbers("shape"); err != nil {
		return f, nil, err
	}
	file, err := os.Open(q.text("field", ""))
	if err != nil {
		return f, nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	size := volume(f.shape) * f.kind.Size()
	f.bytes, err = unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED|mapPopulate)
	return f, func() error { return unix.Munmap(f.bytes) }, err
}

// store makes a compressed array from a field.
func (c *child) store(q request) (err error) {
	f, free, err := parseField(q)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free()) }()
	path := q.text("path", "")
	if err := errors.Join(c.close(q), removeArray(path)); err != nil {
		return err
	}
	o, err := options(q, 0)
	chunk, err1 := q.numbers("chunk")
	if err := errors.Join(err, err1); err != nil {
		return err
	}
	spec := drx.Spec{DType: f.kind, Shape: f.shape, ChunkShape: chunk, Codec: q.text("codec", ""), Options: o}
	c.clock = clock{} // closing the previous array does not count
	c.clock.begin()
	a, err := drx.Create(path, spec)
	if err != nil {
		return err
	}
	err = errors.Join(a.WriteBytes(nil, f.bytes, nil), a.Close())
	c.clock.end(1)
	return err
}

// whole reads all of the array.
func (c *child) whole(request) error {
	if err := c.mustBeOpen(); err != nil {
		return err
	}
	buf := touchedBytes(volume(c.a.Shape()) * c.a.DType().Size())
	c.clock.begin()
	err := c.a.ReadBytes(nil, buf, nil)
	c.clock.end(1)
	c.check = checkOf(buf)
	return err
}

// part reads random sections.
func (c *child) part(q request) error {
	size, err := q.numbers("size")
	n, err1 := q.number("n", 1)
	rounds, err2 := q.number("rounds", 1)
	seed, err3 := q.number("seed", 1)
	if err := errors.Join(err, err1, err2, err3, c.mustBeOpen()); err != nil {
		return err
	}
	at, buf := make([]int, n*len(size)), touchedBytes(volume(size)*c.a.DType().Size())
	sec := make(nd.Section, len(size))
	for r := range rounds {
		starts(uint64(seed+1000*r), c.a.Shape(), size, 1, at)
		c.clock.begin()
		for p := at; len(p) > 0; p = p[len(size):] {
			for d := range sec {
				sec[d] = nd.Span(p[d], p[d]+size[d])
			}
			if err := c.a.ReadBytes(sec, buf, nil); err != nil {
				return err
			}
		}
		c.clock.end(n)
		if r == 0 {
			c.check = checkOf(buf)
		}
	}
	return nil
}

// size answers with the stored bytes of the elements, or the bytes that encode has produced.
func (c *child) size(request) error {
	if c.a == nil {
		c.check = c.framed
		return nil
	}
	u, err := c.a.Usage()
	c.check = uint64(u.StoredBytes)
	return err
}

// fieldPieces holds the pieces of a field, and the memory for their frames.
type fieldPieces struct {
	codec  codec.Codec
	pieces [][]byte
	memory [][]byte
	frames [][]byte // a piece itself if the codec does not shorten it
	out    []byte
}

// encode compresses all pieces.
func (p *fieldPieces) encode() error {
	for i, piece := range p.pieces {
		frame, ok := p.codec.Encode(p.memory[i][:0], piece)
		if !ok {
			frame = piece
		}
		p.frames[i] = frame
	}
	return nil
}

// decode decompresses all pieces, each into the same memory.
func (p *fieldPieces) decode() error {
	for i, piece := range p.pieces {
		if len(p.frames[i]) == len(piece) {
			copy(p.out, p.frames[i])
		} else if err := p.codec.Decode(p.out[:len(piece)], p.frames[i]); err != nil {
			return err
		}
	}
	return nil
}

// pack serves encode and decode. It times one of them in several rounds, after one that is not
// timed.
func (c *child) pack(q request) (err error) {
	f, free, err := parseField(q)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free()) }()
	p, err := newPacked(q, f)
	if err := errors.Join(err, c.close(q)); err != nil {
		return err
	}
	work := p.encode
	if q.verb == "decode" {
		work = p.decode
	}
	rounds, err := q.number("rounds", 1)
	err = errors.Join(err, p.encode(), p.decode())
	c.clock = clock{}
	for range rounds {
		c.clock.begin()
		err = errors.Join(err, work())
		c.clock.end(1)
	}
	c.framed = 0
	for _, frame := range p.frames {
		c.framed += uint64(len(frame))
	}
	c.check = checkOf(p.out)
	return err
}

// newPacked cuts a field into pieces.
func newPacked(q request, f fieldRequest) (*fieldPieces, error) {
	size, err := q.number("piece", len(f.bytes))
	size = min(size, len(f.bytes))
	spec, err1 := codec.Parse(q.text("codec", ""))
	if err := errors.Join(err, err1); err != nil {
		return nil, err
	}
	of, err := codec.New(spec, f.kind.Size())
	p := &fieldPieces{codec: of, pieces: slices.Collect(slices.Chunk(f.bytes, size)), out: touchedBytes(size)}
	p.frames = make([][]byte, len(p.pieces))
	for _, piece := range p.pieces {
		p.memory = append(p.memory, touchedBytes(len(piece)+len(piece)/16+1024))
	}
	return p, err
}

// checkOf returns a sum over bytes that depends on their order.
func checkOf(b []byte) (sum uint64) {
	i := uint64(1)
	for ; len(b) >= 8; b = b[8:] {
		sum += binary.LittleEndian.Uint64(b) * i
		i = i%1009 + 1
	}
	for _, v := range b {
		sum += uint64(v)
	}
	return sum
}
