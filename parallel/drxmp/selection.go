package drxmp

import (
	"drx"
	"drx/internal/errkind"
	"drx/nd"
)

// A selection is the section that one call reads or writes, or the zone of this proc, and its
// buffer.
type selection struct {
	decomposition *Decomposition
	proc          int
	elem          int        // bytes of an element
	sec           nd.Section // resolved; nil for the zone
	buf           []byte
	strides       []int // of buf, in bytes
}

// selection checks a section, a buffer that is dense in the given order, and that order, with a.mu
// held. A nil section is the zone of this proc. The error wraps drx.ErrRank, ErrBounds, ErrSize or
// ErrOverflow, or is that of usable.
func (a *Array) selection(write bool, sec nd.Section, buf []byte, order nd.Order) (*selection, error) {
	if err := a.usable(write); err != nil {
		return nil, err
	}
	s := &selection{decomposition: a.decomposition, proc: a.comm.Proc(), elem: a.dtype.Size(), buf: buf}
	shape := a.zone().shape
	if sec != nil {
		var err error
		if s.sec, err = sec.Resolve(a.member.array.Bounds().Bounds()); err != nil {
			return nil, err
		}
		shape = s.sec.Shape()
	}
	if err := order.Check(len(shape)); err != nil {
		return nil, err
	}
	n, err := nd.Product(shape...)
	if err != nil {
		return nil, err
	}
	if size, ok := nd.Mul(n, s.elem); !ok || size != len(buf) {
		return nil, errkind.Errorf(drx.ErrSize, "the buffer has %d bytes, the section %d elements %v of %v", len(buf), n, shape, a.dtype)
	}
	s.strides = order.Strides(shape)
	for d := range s.strides {
		s.strides[d] *= s.elem
	}
	return s, nil
}

// reads returns the jobs that read the selection.
func (s *selection) reads() []job {
	if s.sec == nil {
		return s.jobs(s.proc)
	}
	return []job{{s.sec, s.buf, s.strides}}
}

// writes returns the jobs that write the selection's part in chunks of this proc, and the remote
// writes for the rest, by proc.
func (s *selection) writes() (own []job, remote [][]remoteWrite, err error) {
	own, remote = s.jobs(s.proc), make([][]remoteWrite, s.decomposition.Procs())
	if s.sec == nil {
		return own, remote, nil
	}
	owned := elements(own)
	for p := range remote {
		if p == s.proc {
			continue
		}
		jobs := s.jobs(p)
		owned += elements(jobs)
		for _, j := range jobs {
			remote[p] = append(remote[p], pack(j, s.elem))
		}
	}
	if n := elements([]job{{sec: s.sec}}); owned != n {
		err = errkind.Errorf(drx.ErrBounds, "section %v: %d of %d elements have an owner", s.sec, owned, n)
	}
	return own, remote, err
}

// jobs returns the jobs for the intersection of the selection with the zone of a proc.
func (s *selection) jobs(proc int) []job {
	var all []job
	for _, p := range s.decomposition.Zone(proc).parts(s.sec) {
		at := 0
		for d := range p.sec {
			if s.sec != nil {
				at += p.pos[d] * s.strides[d]
			} else {
				at += p.local[d] * s.strides[d]
			}
		}
		all = append(all, job{p.sec, s.buf[at:], s.strides})
	}
	return all
}
