package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// growingAttr is an attribute of A or B that delays sessions. A program sets it if it extends the
// matrix in one commit and writes the new elements in another.
const growingAttr = "growing"

// errGrowing is the error of a session that ends because of that attribute.
var errGrowing = errors.New("another program extends it")

// A run is a session on one proc.
type run struct {
	settings
	comm     par.Comm
	operands [2]operand
	c        *drxmp.Array
	record   record // also of tiles that are not committed yet
	totals   totals
	last     time.Time // when proc 0 committed
	pending  int       // chunks of C that were written after the last commit, by all procs
	stopped  bool
}

// totals counts the work of a session.
type totals struct {
	tiles, commits int
	products       float64
}

// session computes the missing products of C, until nothing is missing for the current A and B,
// collective. It commits everything or, after an error, leaves C at its last commit.
func session(c par.Comm, s settings) (totals, error) {
	if c.Proc() != 0 || s.log == nil {
		s.log = io.Discard
	}
	r := &run{settings: s, comm: c, last: time.Now()}
	err := r.open()
	if err == nil {
		err = r.addMissing()
	}
	// Not deferred: after a panic the other procs may still use the files, which are then closed,
	// without a commit, when the program ends.
	for _, a := range []*drxmp.Array{r.c, r.operands[1].Array, r.operands[0].Array} {
		switch {
		case a == nil:
		case err != nil:
			err = errors.Join(err, a.Discard())
		default:
			err = a.Close()
		}
	}
	return r.totals, err
}

// addMissing adds boxes of products until none is missing or the session is stopped, collective.
func (r *run) addMissing() error {
	for !r.stopped {
		missing, err := r.missing()
		if err != nil || len(missing) == 0 {
			return err
		}
		if err := r.add(missing[0]); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: stopped after a commit; the same command goes on", r.names[2])
}

// open opens A and B for reading and C for writing, which it creates if there is none, collective.
func (r *run) open() (err error) {
	each := r.memory / int64(r.comm.Procs())
	for side, name := range r.names[:2] {
		o := operand{side: side, innerDim: 1 - side}
		if r.transposed[side] {
			o.innerDim = side
		}
		if o.Array, err = drxmp.Open(r.comm, name, drxmp.Options{Options: drx.Options{Cache: each / 16, Goroutines: r.threads}}); err != nil {
			return err
		}
		r.operands[side] = o
		if err := checkMatrix(o.Array); err != nil {
			return err
		}
	}
	o := drxmp.Options{Options: drx.Options{Write: true, Cache: each / 16, Goroutines: r.threads}}
	r.c, err = drxmp.Open(r.comm, r.names[2], o)
	if errors.Is(err, fs.ErrNotExist) {
		spec := drx.Spec{
			DType: dtype.Float64, Shape: []int{0, 0}, ChunkShape: []int{r.chunk, r.chunk}, Options: o.Options,
			Lo: []int{r.outer(rows)[0], r.outer(cols)[0]}, Attrs: map[string]any{recordAttr: r.newRecord()},
		}
		r.c, err = drxmp.Create(r.comm, r.names[2], spec, o)
	}
	if err != nil {
		return err
	}
	return errors.Join(checkMatrix(r.c), r.readRecord())
}

func checkMatrix(a *drxmp.Array) error {
	if len(a.Shape()) != 2 || a.DType() != dtype.Float64 {
		return fmt.Errorf("%s: rank %d of %v: matrices have rank 2 and float64", a.Name(), len(a.Shape()), a.DType())
	}
	return nil
}

// newRecord returns the record of a C without products.
func (r *run) newRecord() record {
	return record{A: filepath.Base(r.names[0]), B: filepath.Base(r.names[1]), Transposed: r.transposed}
}

// readRecord reads which products C has. The error says that C holds something else.
func (r *run) readRecord() error {
	text, found := r.c.Attrs()[recordAttr]
	if !found {
		return fmt.Errorf("%s: no attribute %q: it was not made by this program; choose another name", r.c.Name(), recordAttr)
	}
	if err := json.Unmarshal(text, &r.record); err != nil {
		return fmt.Errorf("%s: attribute %s: %w", r.c.Name(), recordAttr, err)
	}
	if want := r.newRecord(); r.record.A != want.A || r.record.B != want.B || r.record.Transposed != want.Transposed {
		return fmt.Errorf("%s holds the product of %s and %s, transposed %v, not of %s and %s, transposed %v",
			r.c.Name(), r.record.A, r.record.B, r.record.Transposed, want.A, want.B, want.Transposed)
	}
	return nil
}

// outer returns the bounds of the rows of A or the columns of B.
func (r *run) outer(side int) span { return r.operands[side].span(1 - r.operands[side].innerDim) }

// missing refreshes A and B, extends C like them, and returns the products that C lacks,
// collective.
func (r *run) missing() ([]box, error) {
	for _, o := range r.operands {
		if _, err := o.Refresh(); err != nil {
			return nil, err
		}
		if _, held := o.Attrs()[growingAttr]; held {
			return nil, fmt.Errorf("%s has the attribute %q: %w; what C lacks of it is left to a later session", o.Name(), growingAttr, errGrowing)
		}
	}
	a, b := r.operands[rows], r.operands[cols]
	goal := box{r.outer(rows), r.outer(cols), a.span(a.innerDim).in(b.span(b.innerDim))}
	for _, done := range r.record.Done {
		if done.in(goal) != done {
			return nil, fmt.Errorf("%s has %v, but %s and %s have shrunk to %v: remove it", r.c.Name(), done, a.Name(), b.Name(), goal)
		}
	}
	for _, done := range r.record.Done {
		if have := (box{spanOf(r.c, rows), spanOf(r.c, cols), done[inner]}); done.in(have) != done {
			return nil, fmt.Errorf("%s has shrunk to %v, but its record has %v: remove it", r.c.Name(), have, done)
		}
	}
	for d := range 2 {
		if err := r.extend(d, goal[d]); err != nil {
			return nil, err
		}
	}
	return r.record.missing(goal), nil
}

// extend extends a dimension of C to the bounds of A or B.
func (r *run) extend(d int, to span) error {
	have := spanOf(r.c, d)
	if to[0] < have[0] {
		if _, err := r.c.ExtendLow(d, have[0]-to[0]); err != nil {
			return err
		}
	}
	if to[1] > have[1] {
		_, err := r.c.Extend(d, to[1]-have[1])
		return err
	}
	return nil
}

// add adds a box of products to C, tile by tile, collective.
func (r *run) add(b box) error {
	each := r.memory / int64(r.comm.Procs())
	t, err := newTiling(b, r.comm.Procs(), r.c.ChunkShape(), each-each/4, r.threads)
	if err != nil {
		return err
	}
	if err := r.c.Redistribute(t.distribution(r.c.ChunkShape())); err != nil {
		return err
	}
	p, err := newProduct(r.comm, t, r.operands, r.threads)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.log, "%v: %d tiles of %d x %d blocks of %d x %d\n", b, t.tiles(), t.grid[0], t.grid[1], t.block[0], t.block[1])
	block := func(sec nd.Section) []float64 { return p.block[:sec[0].Len()*sec[1].Len()] }
	begin := func(sec nd.Section) error { return drxmp.Read(r.c, sec, block(sec)) }
	err = p.run(begin, func(tile box, sec nd.Section) (bool, error) {
		if err := drxmp.WriteAll(r.c, sec, block(sec)); err != nil {
			return false, err
		}
		r.record.add(tile)
		r.totals.tiles++
		r.pending += chunksOf(tile, r.c.ChunkShape())
		r.totals.products += float64(tile[0].len()) * float64(tile[1].len()) * float64(tile[2].len())
		return r.commitIfDue(tile == t.tile(t.tiles()-1))
	})
	return errors.Join(err, p.close())
}

// pendingBytes is the approximate memory that every proc needs for a chunk which is written and not
// committed, whichever proc has written it: each proc knows the changes of all.
const pendingBytes = 192

// commitIfDue commits the tiles that are written and their record if, on proc 0, it is time for
// that, if the uncommitted chunks need a sixteenth of its memory, or if the session stops. It
// reports whether to continue, collective.
func (r *run) commitIfDue(last bool) (bool, error) {
	if err := r.at("written"); err != nil {
		return false, err
	}
	due := []int64{0, 0}
	if r.comm.Proc() == 0 {
		if r.ctx != nil && r.ctx.Err() != nil {
			due[1] = 1
		}
		full := int64(r.pending)*pendingBytes >= r.memory/int64(r.comm.Procs())/16
		if last || due[1] == 1 || full || time.Since(r.last) >= r.every {
			due[0], r.last = 1, time.Now()
		}
	}
	if err := par.AllReduce(r.comm, due, par.Max); err != nil {
		return false, err
	}
	r.stopped = due[1] == 1
	if due[0] == 0 {
		return true, nil
	}
	if err := r.c.SetAttr(recordAttr, r.record); err != nil {
		return false, err
	}
	if err := r.at("recorded"); err != nil {
		return false, err
	}
	if err := r.c.Sync(); err != nil {
		return false, err
	}
	r.totals.commits++
	r.pending = 0
	fmt.Fprintf(r.log, "%d tiles, %.4g products committed\n", r.totals.tiles, r.totals.products)
	return !r.stopped, r.at("committed")
}

// at reports to tests where this proc is.
func (r *run) at(point string) error {
	if r.reached == nil {
		return nil
	}
	return r.comm.Agree(point, r.reached(point, r.comm.Proc()))
}
