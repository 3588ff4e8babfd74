package drxmp

import (
	"errors"
	"fmt"

	"drx"
	"drx/parallel/par"
)

// Create creates an array, as drx.Create does, which makes it durable, and opens it, collective.
// The spec is the same on all procs; its Options replace those in o.
func Create(c par.Comm, name string, spec drx.Spec, o Options) (*Array, error) {
	spec.Options.Write = true
	o.Options = spec.Options
	what := fmt.Sprintf("create of %s as %v %v from %v in chunks of %v, %q, fill %v, dims %q, align %d, codec %q",
		name, spec.DType, spec.Shape, spec.Lo, spec.ChunkShape, spec.Order, spec.FillValue, spec.Dims, spec.Align, spec.Codec)
	return start(c, what, name, o, func() (*drx.Array, error) { return drx.Create(name, spec) })
}

// Open opens an existing array, collective: for reading or, with Options.Write, for writing. Proc 0
// reads the log and sends it to the others. The errors are those of drx.Open. Options.Shared, which
// procs do not need, is an error that wraps fs.ErrInvalid.
func Open(c par.Comm, name string, o Options) (*Array, error) {
	return start(c, "open of "+name, name, o, func() (*drx.Array, error) { return drx.Open(name, o.Options) })
}

// start opens an array, by calling open on proc 0.
func start(c par.Comm, what, name string, o Options, open func() (*drx.Array, error)) (*Array, error) {
	s, err := sequencerOf(c)
	if err != nil {
		return nil, err
	}
	a := &Array{name: drx.BaseName(name), options: o}
	if a.comm, a.calls, err = s.split(fmt.Sprintf("%s, %+v", what, o), a.name, o.check(name)); err != nil {
		_ = s.leave()
		return nil, err
	}
	a.pending.byProc = make([][]remoteWrite, c.Procs())
	err = a.open(open)
	if err == nil {
		a.dtype = a.member.array.DType()
		err = a.distribute(o.Distribution)
	}
	if err == nil {
		a.engine, err = openEngine(a.member, o)
	}
	if err != nil {
		a.abandon()
		return nil, err
	}
	s.add(a)
	a.cancelAtEnd = par.AtEnd(a.comm, a.closeAtEnd)
	return a, nil
}

// openTries limits the attempts to open the files of an array that others keep compacting.
const openTries = 100

// open opens the files on proc 0, by calling open, then on the others, until all have the same
// files.
func (a *Array) open(open func() (*drx.Array, error)) error {
	for range openTries {
		var err error
		if a.comm.Proc() == 0 {
			a.member, err = lead(a.comm, open)
		}
		if err := a.comm.Agree("open of the log", err); err != nil {
			return err
		}
		replaced, err := a.join()
		if err != nil || !replaced {
			return err
		}
	}
	return fmt.Errorf("%s: the files were replaced %d times while they were opened", a.name, openTries)
}

// join opens the files on all procs but proc 0, which has them open. If they were replaced
// meanwhile it closes them and returns replaced.
func (a *Array) join() (replaced bool, err error) {
	a.log = nil
	if err := a.shareLog(); err != nil {
		return false, err
	}
	if a.comm.Proc() != 0 {
		a.member, err = follow(a.comm, a.name, a.options.Options, a.log)
	}
	// A writer has locked the files, so nobody replaces them.
	if err := a.comm.Agree("open of the files", err); err != nil || a.options.Write {
		return false, err
	}
	current, err := a.member.Current()
	if err == nil && !current {
		err = errReplaced
	}
	if err = a.comm.Agree("check of the files", err); !errors.Is(err, errReplaced) {
		return false, err
	}
	err = a.comm.Agree("close of old files", a.member.Close())
	a.member = nil
	return true, err
}
