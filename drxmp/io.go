package drxmp

import (
	"encoding/binary"
	"fmt"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// A job is a section and where its elements are in memory: the one at position i lies at byte
// sum(i[d]*strides[d]) of buf.
type job struct {
	sec     nd.Section
	buf     []byte
	strides []int
}

// A selection is what a call reads or writes: a section, or the zone of this proc, and the
// memory for it.
type selection struct {
	a       *Array
	sec     nd.Section // resolved; nil for the zone
	buf     []byte
	strides []int
}

// selects checks a section, a buffer and an order. a.mu must be held.
func (a *Array) selects(sec nd.Section, buf []byte, order nd.Order) (*selection, error) {
	s := &selection{a: a, buf: buf}
	shape := a.zone().shape
	if sec != nil {
		lo, hi := box0(a.array().Bounds())
		var err error
		if s.sec, err = sec.Resolve(lo, hi); err != nil {
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
	elem := a.dtype.Size()
	if size, ok := nd.Mul(n, elem); !ok || size != len(buf) {
		return nil, fmt.Errorf("buffer of %d bytes for %d elements %v of %v: %w", len(buf), n, shape, a.dtype, drx.ErrSize)
	}
	s.strides = order.Strides(shape)
	for d := range s.strides {
		s.strides[d] *= elem
	}
	return s, nil
}

// zone returns the zone of this proc, with a.mu held.
func (a *Array) zone() *Zone { return a.zones.Zone(a.comm.Proc()) }

// jobs returns what the selection has of a zone.
func (s *selection) jobs(z *Zone) []job {
	var all []job
	for _, p := range z.cut(s.sec) {
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

// reads returns the jobs of reading the selection.
func (s *selection) reads() []job {
	if s.sec == nil {
		return s.jobs(s.a.zone())
	}
	return []job{{s.sec, s.buf, s.strides}}
}

// writes returns the jobs of writing the selection, those of chunks that this proc owns, and the
// boxes for the others.
func (s *selection) writes() (own []job, others [][]box, err error) {
	own, others = s.jobs(s.a.zone()), make([][]box, s.a.comm.Procs())
	if s.sec == nil {
		return own, others, nil
	}
	owned := elements(own)
	for p := range others {
		if p == s.a.comm.Proc() {
			continue
		}
		jobs := s.jobs(s.a.zones.Zone(p))
		owned += elements(jobs)
		for _, j := range jobs {
			others[p] = append(others[p], j.pack(s.a.dtype.Size()))
		}
	}
	if n := elements([]job{{sec: s.sec}}); owned != n {
		err = fmt.Errorf("section %v: %d of %d elements have an owner: %w", s.sec, owned, n, drx.ErrBounds)
	}
	return own, others, err
}

// elements returns how many elements jobs have together.
func elements(jobs []job) int {
	sum := 0
	for _, j := range jobs {
		n, _ := j.sec.Len() // of a part of a section, which can be counted
		sum += n
	}
	return sum
}

// ReadAllBytes is ReadAll for little-endian bytes, collective.
func (a *Array) ReadAllBytes(sec nd.Section, buf []byte, order nd.Order) error {
	return a.startReadAll(nil, sec, buf, order)()
}

// startReadAll takes the call's turn, and returns what does it. An error says why this proc cannot
// take part.
func (a *Array) startReadAll(err error, sec nd.Section, buf []byte, order nd.Order) func() error {
	return a.inTurn("read", false, err, sec, buf, order, func(s *selection) error {
		jobs := s.reads()
		err := a.engine.read(jobs)
		for i := range jobs {
			a.outbox.overlay(&jobs[i], a.dtype.Size())
		}
		return a.agree("end of read", err)
	})
}

// WriteAllBytes is WriteAll for little-endian bytes, collective.
func (a *Array) WriteAllBytes(sec nd.Section, buf []byte, order nd.Order) error {
	return a.startWriteAll(nil, sec, buf, order)()
}

func (a *Array) startWriteAll(err error, sec nd.Section, buf []byte, order nd.Order) func() error {
	return a.inTurn("write", true, err, sec, buf, order, func(s *selection) error {
		own, others, err := s.writes()
		if err := a.agree("parts of write", a.errorf("write", err)); err != nil {
			return err
		}
		if err := a.deliver(own, others); err != nil {
			return err
		}
		return a.exchange()
	})
}

func (a *Array) inTurn(
	what string, write bool, err error, sec nd.Section, buf []byte, order nd.Order, f func(*selection) error,
) func() error {
	t := a.place()
	return func() error {
		return t.do(func() error {
			a.mu.RLock()
			defer a.mu.RUnlock()
			var s *selection
			check := func() error {
				if err == nil {
					s, err = a.selects(sec, buf, order)
				}
				return err
			}
			return a.agreed(what, write, check, func() error { return f(s) })
		})
	}
}

// deliver sends boxes to the procs that own them, together with what is in the outbox, and writes
// what this proc owns: what was written before, by whomever, goes first. After an error the outbox
// is as before, on all procs.
func (a *Array) deliver(own []job, others [][]box) error {
	waiting := a.outbox.all()
	err := a.send(waiting, own, others)
	if err == nil {
		a.outbox.arrived(waiting)
	}
	return err
}

func (a *Array) send(waiting [][]box, own []job, others [][]box) error {
	messages := make([][]byte, len(others))
	for p, boxes := range waiting {
		before := encode(nil, boxes)
		messages[p] = binary.LittleEndian.AppendUint64(nil, uint64(len(before)))
		messages[p] = encode(append(messages[p], before...), others[p])
	}
	received, err := a.comm.AllToAll(messages)
	if err != nil {
		return err
	}
	jobs, err := a.received(received)
	if err := a.agree("delivery", err); err != nil {
		return err
	}
	if _, ok := a.engine.(*mpiio); ok {
		a.placing.Lock()
		defer a.placing.Unlock()
	}
	return a.agree("end of write", a.engine.write(append(jobs, own...)))
}

// received returns the jobs of writing what others have sent.
func (a *Array) received(messages [][]byte) ([]job, error) {
	var before, now []job
	for _, message := range messages {
		n := binary.LittleEndian.Uint64(message)
		for _, part := range []struct {
			jobs  *[]job
			bytes []byte
		}{{&before, message[8 : 8+n]}, {&now, message[8+n:]}} {
			boxes, err := decode(part.bytes, a.array().Rank(), a.dtype.Size())
			if err != nil {
				return nil, err
			}
			for _, b := range boxes {
				*part.jobs = append(*part.jobs, b.job(a.dtype.Size()))
			}
		}
	}
	return append(before, now...), nil
}

// job returns the job of writing a box.
func (b box) job(elem int) job {
	strides := nd.RowMajor.Strides(b.sec.Shape())
	for d := range strides {
		strides[d] *= elem
	}
	return job{b.sec, b.data, strides}
}

// ReadBytes is Read for little-endian bytes.
func (a *Array) ReadBytes(sec nd.Section, buf []byte, order nd.Order) error {
	a.mu.RLock()
	defer a.mu.RUnlock()
	err := a.usable(false)
	var s *selection
	if err == nil {
		s, err = a.selects(sec, buf, order)
	}
	if err != nil {
		return a.errorf("read", err)
	}
	a.placing.RLock() // reading may drive out a chunk that was changed
	defer a.placing.RUnlock()
	for _, j := range s.reads() {
		if err := a.array().ReadStrided(j.sec, j.buf, j.strides); err != nil {
			return err
		}
		a.outbox.overlay(&j, a.dtype.Size())
	}
	return nil
}

// WriteBytes is Write for little-endian bytes.
func (a *Array) WriteBytes(sec nd.Section, buf []byte, order nd.Order) error {
	a.mu.RLock()
	defer a.mu.RUnlock()
	err := a.usable(true)
	var s *selection
	if err == nil {
		s, err = a.selects(sec, buf, order)
	}
	if err != nil {
		return a.errorf("write", err)
	}
	own, others, err := s.writes()
	if err != nil {
		return a.errorf("write", err)
	}
	a.placing.RLock()
	defer a.placing.RUnlock()
	for _, j := range own {
		if err := a.array().WriteStrided(j.sec, j.buf, j.strides); err != nil {
			return err
		}
	}
	for p, boxes := range others {
		for _, b := range boxes {
			a.outbox.put(p, b)
		}
	}
	return nil
}

// checkType returns an error unless T is the Go type of the array's elements, and orders are one at
// most.
func checkType[T dtype.Element](a *Array, order []nd.Order) (nd.Order, error) {
	if t := dtype.Of[T](); t != a.dtype {
		return nil, fmt.Errorf("elements are %v, asked for as %v: %w", a.dtype, t, drx.ErrDType)
	}
	switch len(order) {
	case 0:
		return nil, nil
	case 1:
		return order[0], nil
	}
	return nil, fmt.Errorf("%d orders: %w: one is enough", len(order), drx.ErrRank)
}
