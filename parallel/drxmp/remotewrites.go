package drxmp

import (
	"encoding/binary"
	"slices"
	"sync"

	"drx/internal/errkind"
	"drx/internal/strided"
	"drx/nd"
	"drx/parallel/par"
)

// A remoteWrite holds elements for chunks of another proc: a section and its bytes, row-major.
type remoteWrite struct {
	sec  nd.Section
	data []byte
}

// pack returns the remoteWrite of a job, with a copy of its elements.
func pack(j job, elem int) remoteWrite {
	n, _ := j.sec.Len() // no error: a part of a counted section
	w := remoteWrite{j.sec, make([]byte, n*elem)}
	strided.Copy(w.data, denseJob(w.sec, w.data, elem).strides, j.buf, j.strides, j.sec.Shape(), elem)
	return w
}

// encode appends remote writes to a message. Each has three numbers of 8 bytes per dimension (Lo,
// Hi, Step), then its elements.
func encode(message []byte, writes []remoteWrite) []byte {
	for _, w := range writes {
		for _, r := range w.sec {
			for _, n := range []int{r.Lo, r.Hi, r.Step} {
				message = binary.LittleEndian.AppendUint64(message, uint64(n))
			}
		}
		message = append(message, w.data...)
	}
	return message
}

// decode returns the remote writes of a message, which share its memory. The error wraps
// par.ErrSize if encode cannot have made the message.
func decode(message []byte, rank, elem int) ([]remoteWrite, error) {
	var writes []remoteWrite
	for len(message) > 0 {
		if len(message) < 24*rank {
			return nil, errkind.Errorf(par.ErrSize, "message of %d bytes too few", 24*rank-len(message))
		}
		sec := make(nd.Section, rank)
		for d := range sec {
			number := func(i int) int { return int(binary.LittleEndian.Uint64(message[24*d+8*i:])) }
			sec[d] = nd.Range{Lo: number(0), Hi: number(1), Step: number(2)}
		}
		message = message[24*rank:]
		n, err := sec.Len()
		if err != nil || n < 0 || n > len(message)/elem {
			return nil, errkind.Errorf(par.ErrSize, "section %v in a message that is only %d bytes long", sec, len(message))
		}
		writes = append(writes, remoteWrite{sec, message[:n*elem]})
		message = message[n*elem:]
	}
	return writes, nil
}

// pendingRemoteWrites holds what this proc has written to chunks of other procs by Write, until the
// next collective call that sends it to the owners.
type pendingRemoteWrites struct {
	mu     sync.Mutex
	byProc [][]remoteWrite
}

func (p *pendingRemoteWrites) add(byProc [][]remoteWrite) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for proc, writes := range byProc {
		p.byProc[proc] = append(p.byProc[proc], writes...)
	}
}

// all returns the pending writes, by proc. They stay pending until delivered is called.
func (p *pendingRemoteWrites) all() [][]remoteWrite {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.byProc)
}

// delivered removes writes that all has returned.
func (p *pendingRemoteWrites) delivered(all [][]remoteWrite) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for proc, writes := range all {
		p.byProc[proc] = slices.Clone(p.byProc[proc][len(writes):])
	}
}

// overlay copies pending elements over the elements that a job has read from the file.
func (p *pendingRemoteWrites) overlay(j job, elem int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, writes := range p.byProc {
		for _, w := range writes {
			overlay(j, w, elem)
		}
	}
}

// overlay copies the elements of a remote write that are also in a job.
func overlay(j job, w remoteWrite, elem int) {
	rank := len(j.sec)
	from, to := make([][]int, rank), make([][]int, rank) // offsets of the common indices
	shape := make([]int, rank)
	dense := nd.RowMajor.Strides(w.sec.Shape())
	for d, r := range j.sec {
		for i := range r.Len() {
			off := r.Lo + i*r.Stride() - w.sec[d].Lo
			if off >= 0 && off%w.sec[d].Stride() == 0 && off/w.sec[d].Stride() < w.sec[d].Len() {
				from[d] = append(from[d], off/w.sec[d].Stride()*dense[d]*elem)
				to[d] = append(to[d], i*j.strides[d])
			}
		}
		shape[d] = len(from[d])
	}
	lo, at := make([]int, rank), make([]int, rank)
	for more := !slices.Contains(shape, 0); more; more = nd.Next(at, lo, shape) {
		f, t := 0, 0
		for d, i := range at {
			f, t = f+from[d][i], t+to[d][i]
		}
		copy(j.buf[t:t+elem], w.data[f:f+elem])
	}
}
