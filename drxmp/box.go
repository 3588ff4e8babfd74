package drxmp

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"drx/nd"
	"drx/par"
)

// A box is elements on their way to their owner: a section and its bytes, row-major.
type box struct {
	sec  nd.Section
	data []byte
}

// encode appends boxes to a message: per box, three numbers per dimension and the bytes.
func encode(message []byte, boxes []box) []byte {
	for _, b := range boxes {
		for _, r := range b.sec {
			message = binary.LittleEndian.AppendUint64(message, uint64(r.Lo))
			message = binary.LittleEndian.AppendUint64(message, uint64(r.Hi))
			message = binary.LittleEndian.AppendUint64(message, uint64(r.Step))
		}
		message = append(message, b.data...)
	}
	return message
}

// decode takes a message apart; the boxes keep its memory.
func decode(message []byte, rank, elem int) ([]box, error) {
	var boxes []box
	for len(message) > 0 {
		if len(message) < 24*rank {
			return nil, fmt.Errorf("message of %d bytes too few: %w", 24*rank-len(message), par.ErrSize)
		}
		sec := make(nd.Section, rank)
		for d := range sec {
			number := func(i int) int { return int(binary.LittleEndian.Uint64(message[24*d+8*i:])) }
			sec[d] = nd.Range{Lo: number(0), Hi: number(1), Step: number(2)}
		}
		message = message[24*rank:]
		n, err := sec.Len()
		if err != nil || n < 0 || n > len(message)/elem {
			return nil, fmt.Errorf("section %v in a message of %d bytes: %w", sec, len(message), par.ErrSize)
		}
		boxes = append(boxes, box{sec, message[:n*elem]})
		message = message[n*elem:]
	}
	return boxes, nil
}

// pack copies what a job has in a buffer.
func (j *job) pack(elem int) box {
	shape := j.sec.Shape()
	n, _ := nd.Product(shape...) // of a part of a section, which can be counted
	b := box{j.sec, make([]byte, 0, n*elem)}
	eachLine(shape, j.strides, elem, func(at, length int) { b.data = append(b.data, j.buf[at:at+length]...) })
	return b
}

// eachLine calls f with the offsets of the lines, contiguous where they can be, of a box of
// elements in row-major order.
func eachLine(shape, strides []int, elem int, f func(at, length int)) {
	if slices.Contains(shape, 0) {
		return
	}
	rank, length := len(shape), elem
	for rank > 0 && (shape[rank-1] == 1 || strides[rank-1] == length) {
		rank--
		length *= shape[rank]
	}
	lo, index := make([]int, rank), make([]int, rank)
	for more := true; more; more = nd.Next(index, lo, shape[:rank]) {
		at := 0
		for d, i := range index {
			at += i * strides[d]
		}
		f(at, length)
	}
}

// An outbox has what this proc has written elsewhere than in its own zone, until the next collective
// call that brings it there.
type outbox struct {
	mu sync.Mutex
	to [][]box // by proc
}

func (o *outbox) put(proc int, b box) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.to[proc] = append(o.to[proc], b)
}

// all returns what is there: it stays until it has arrived.
func (o *outbox) all() [][]box {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.to)
}

// arrived forgets what all has returned.
func (o *outbox) arrived(all [][]box) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for p, boxes := range all {
		o.to[p] = slices.Clone(o.to[p][len(boxes):])
	}
}

// overlay puts what is in the outbox over what a job has read.
func (o *outbox) overlay(j *job, elem int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, boxes := range o.to {
		for _, b := range boxes {
			overlay(j, b, elem)
		}
	}
}

func overlay(j *job, b box, elem int) {
	rank := len(j.sec)
	from, to := make([][]int, rank), make([][]int, rank) // offsets of the common indices
	shape := make([]int, rank)
	dense := nd.RowMajor.Strides(b.sec.Shape())
	for d, r := range j.sec {
		for i := range r.Len() {
			off := r.Lo + i*r.Stride() - b.sec[d].Lo
			if off >= 0 && off%b.sec[d].Stride() == 0 && off/b.sec[d].Stride() < b.sec[d].Len() {
				from[d] = append(from[d], off/b.sec[d].Stride()*dense[d]*elem)
				to[d] = append(to[d], i*j.strides[d])
			}
		}
		if shape[d] = len(from[d]); shape[d] == 0 {
			return
		}
	}
	lo, at := make([]int, rank), make([]int, rank)
	for more := true; more; more = nd.Next(at, lo, shape) {
		f, t := 0, 0
		for d, i := range at {
			f, t = f+from[d][i], t+to[d][i]
		}
		copy(j.buf[t:t+elem], b.data[f:f+elem])
	}
}
