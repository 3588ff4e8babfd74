package drxmp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/internal/joint"
	"drx/nd"
	"drx/par"
)

// serial is what package drx does for this one alone.
var serial = joint.Get[*drx.Array, drx.Options, drx.VerifyReport]()

// A member is an array file as this proc has it open.
type member = joint.Member[*drx.Array, drx.VerifyReport]

// Options say how an array is opened; they are the same on all procs. Cache and Goroutines are those
// of each proc: where procs are goroutines of one process, divide them by their number. If there are several
// procs, calls that write use no more goroutines than Goroutines says; if that is 0, GOMAXPROCS divided by
// the number of procs, at least one: say more where procs are on several machines.
type Options struct {
	drx.Options
	// Distribution says which proc owns which chunks, see Redistribute.
	Distribution Distribution
	// Engine says how chunks come from the file and go there.
	Engine Engine
	// Hints go to MPI-IO, if that is the engine: cb_nodes, striping_unit, ...
	Hints map[string]string
}

// An Array is an open array file as one proc has it open together with the others of a group.
//
// Methods and functions whose comment begins with the word collective are called by all procs, in
// the same order, also those on all arrays that were opened with the same group; all get the same
// error if one of them has one. Goroutines that call them on two arrays at the same time open each
// with a group of its own, see par.Comm.Split. The others are calls of one proc, of any of its
// goroutines.
type Array struct {
	desk    *desk
	comm    par.Comm // of its own
	name    string
	label   string // the name, and which opening of it this is: for calls to be compared
	dtype   dtype.DType
	options Options
	member  member
	engine  engine
	log     []byte // what all know of the log
	calls   queue  // collective ones
	own     queue  // Start of one proc's

	// meet is agree for the first step of the collective call that is going on, see place.
	meet func(what string, err error) error

	memories int // that were opened

	// mu is held shared by who reads and writes, and exclusively by who changes zones and bounds.
	mu     sync.RWMutex
	zones  *Map
	closed bool

	// placing is held while the engine MPIIO writes: MPI may put back what it has read between the
	// pieces. Who puts chunks in their places otherwise holds it shared.
	placing sync.RWMutex

	cancel func() // of what is done at the end of the program

	// Why nothing can be written, the same on all procs: the file system has no room for the
	// chunk table; or the last commit failed and may be in the journal, until it is made.
	uncovered, uncommitted error

	outbox outbox
}

// Create makes a new array and opens it, collective: as drx.Create, which makes it durable, and
// Open. The spec is the same on all procs, and its Options count rather than those in o.
func Create(c par.Comm, name string, spec drx.Spec, o Options) (*Array, error) {
	spec.Options.Write = true
	o.Options = spec.Options
	what := fmt.Sprintf("create of %s as %v %v from %v in chunks of %v, %q, fill %v, dims %q, align %d",
		name, spec.DType, spec.Shape, spec.Lo, spec.ChunkShape, spec.Order, spec.FillValue, spec.Dims, spec.Align)
	return start(c, what, name, o, func() (*drx.Array, error) { return drx.Create(name, spec) })
}

// Open opens an array that exists, collective: for reading or, with Options.Write, for writing.
// Proc 0 reads the log, and the others have it from there. The errors are those of drx.Open;
// Options.Shared is refused, as procs need no reservations (fs.ErrInvalid).
func Open(c par.Comm, name string, o Options) (*Array, error) {
	return start(c, "open of "+name, name, o, func() (*drx.Array, error) { return drx.Open(name, o.Options) })
}

// start opens an array that proc 0 opens by a function.
func start(c par.Comm, what, name string, o Options, open func() (*drx.Array, error)) (*Array, error) {
	d, err := deskOf(c)
	if err != nil {
		return nil, err
	}
	a := &Array{desk: d, name: drx.BaseName(name), options: o}
	if a.comm, a.label, err = a.desk.split(fmt.Sprintf("%s, %+v", what, o), a.name, o.check(name)); err != nil {
		_ = a.desk.leave()
		return nil, err
	}
	a.outbox.to = make([][]box, c.Procs())
	err = a.open(open)
	if err == nil {
		a.dtype = a.array().DType()
		err = a.distribute(o.Distribution)
	}
	if err == nil {
		a.engine, err = a.newEngine()
	}
	if err != nil {
		a.abandon()
		return nil, err
	}
	a.desk.add(a)
	a.cancel = par.AtEnd(a.comm, a.left)
	return a, nil
}

// check returns an error for options that are never right.
func (o Options) check(name string) error {
	if o.Shared {
		return fmt.Errorf("%s: shared: %w", name, fs.ErrInvalid)
	}
	return nil
}

// left closes the files of an array that is open at the end of the program, which has failed.
func (a *Array) left() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forget()
	a.desk.left()
	_ = a.member.Close()
}

// forget notes that the array is closed, or about to be.
func (a *Array) forget() {
	a.closed = true
	a.desk.remove(a)
	a.cancel()
}

// openTries is how often to open the files of an array that is being compacted all the time.
const openTries = 100

// open opens the files on proc 0, then on the others, until all have the same.
func (a *Array) open(open func() (*drx.Array, error)) error {
	for range openTries {
		var err error
		if a.comm.Proc() == 0 {
			a.member, err = lead(a.comm, open)
		}
		if err := a.comm.Agree("open of the log", err); err != nil {
			return err
		}
		again, err := a.join()
		if err != nil || !again {
			return err
		}
	}
	return fmt.Errorf("%s: the files were replaced %d times while they were opened", a.name, openTries)
}

func lead(c par.Comm, open func() (*drx.Array, error)) (member, error) {
	array, err := open()
	if err != nil {
		return nil, err
	}
	m, err := serial.Lead(array, c.Proc(), c.Procs())
	if err != nil {
		_ = array.Discard() // the error that counts is there already
	}
	return m, err
}

// errReplaced says that the files were replaced while they were opened.
var errReplaced = errors.New("the files were replaced")

// join opens the files on the procs other than 0, which has them open; again says that they were
// replaced meanwhile, and closes them.
func (a *Array) join() (again bool, err error) {
	a.log = nil
	if err := a.shareLog(); err != nil {
		return false, err
	}
	if a.comm.Proc() != 0 {
		a.member, err = serial.Join(a.name, a.options.Options, a.comm.Proc(), a.comm.Procs(), a.log)
	}
	if err := a.comm.Agree("open of the files", err); err != nil || a.options.Write { // and locked
		return false, err
	}
	current, err := a.member.Current()
	if err == nil && !current {
		err = errReplaced
	}
	if err = a.comm.Agree("look at the files", err); !errors.Is(err, errReplaced) {
		return false, err
	}
	err = a.comm.Agree("close of old files", a.member.Close())
	a.member = nil
	return true, err
}

// abandon closes what is open, after an error that all know of, or that is the end of the program.
func (a *Array) abandon() {
	if a.member != nil {
		_ = a.member.Close()
	}
	_ = a.comm.Close()
	_ = a.desk.leave()
}

// distribute computes the zones.
func (a *Array) distribute(d Distribution) error {
	s := a.array()
	lo, hi := box0(s.Bounds())
	m, err := NewMap(d, a.comm.Procs(), s.Grid(), s.ChunkShape(), lo, hi)
	if err == nil {
		a.zones = m
	}
	return a.errorf("distribute", err) // the same on all procs: they agree on all that goes into it
}

func box0(sec nd.Section) (lo, hi []int) {
	for _, r := range sec {
		lo, hi = append(lo, r.Lo), append(hi, r.Hi)
	}
	return lo, hi
}

// errorf puts the name of the array and the operation before an error.
func (a *Array) errorf(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", a.name, op, err)
}

// Name returns the name of the array, without extension.
func (a *Array) Name() string { return a.name }

// DType returns the element type.
func (a *Array) DType() dtype.DType { return a.dtype }

// Shape returns the present extents, in elements.
func (a *Array) Shape() []int { return a.now().Shape() }

// Bounds returns the present bounds as the section of the whole array.
func (a *Array) Bounds() nd.Section { return a.now().Bounds() }

// ChunkShape returns the extents of a chunk, in elements.
func (a *Array) ChunkShape() []int { return a.now().ChunkShape() }

// FillValue returns the value of elements never written, as little-endian bytes.
func (a *Array) FillValue() []byte { return a.now().FillValue() }

// Attrs returns the attributes: JSON values by name.
func (a *Array) Attrs() map[string]json.RawMessage { return a.now().Attrs() }

// Dims returns the names of the dimensions, empty where there is none.
func (a *Array) Dims() []string { return a.now().Dims() }

// Layout returns where the bytes of the array are in its .xta file.
func (a *Array) Layout() drx.Layout { return a.now().Layout() }

// Grid returns the present chunk grid, see drx.Array.Grid.
func (a *Array) Grid() *axial.Grid { return a.now().Grid() }

// array returns the array as this proc has it open, with a.mu held.
func (a *Array) array() *drx.Array { return a.member.Array() }

// chunkBytes returns the bytes of a chunk, with a.mu held.
func (a *Array) chunkBytes() int {
	n, _ := nd.Product(a.zones.chunk...) // which the array was opened with
	return n * a.dtype.Size()
}

func (a *Array) now() *drx.Array {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.array()
}

// Zones returns who owns what at present. It does not change when the array grows: there is
// another one then.
func (a *Array) Zones() *Map {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.zones
}

// Zone returns what this proc owns at present.
func (a *Array) Zone() *Zone { return a.Zones().Zone(a.comm.Proc()) }

// Proc returns the number of this proc in the group that has the array open.
func (a *Array) Proc() int { return a.comm.Proc() }
