package main

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/internal/fileset"
	"drx/internal/vfs"
)

// open opens the array for writing. With --create, it creates the array if there is none.
func (o *csvOptions) open(name string, dims []string) (a *drx.Array, created bool, err error) {
	if !o.create {
		a, err = drx.Open(name, drx.Options{Write: true})
		return a, false, err
	}
	spec, err := o.spec(dims)
	if err != nil {
		return nil, false, err
	}
	a, err = drx.Open(name, drx.Options{Write: true})
	if errors.Is(err, fs.ErrNotExist) {
		a, err = drx.Create(name, spec)
		return a, true, asUsageError(err)
	}
	if err != nil {
		return nil, false, err
	}
	if err := o.checkSame(a, spec); err != nil {
		return nil, false, errors.Join(err, a.Discard())
	}
	return a, false, nil
}

// spec returns the specification of the array to create.
func (o *csvOptions) spec(dims []string) (spec drx.Spec, err error) {
	t := dtype.Float64
	if o.dtype != "" {
		if t, err = parseType(o.dtype); err != nil {
			return spec, err
		}
	}
	spec = cube.Spec(t, dims...)
	if o.chunk != "" {
		if spec.ChunkShape, err = parseInts("--chunk", o.chunk); err != nil {
			return spec, err
		}
	}
	if o.fill != "" {
		spec.FillValue = o.fill
	}
	return spec, checkNames(dims...)
}

// checkSame returns an error if an array that exists is not what the flags given describe.
func (o *csvOptions) checkSame(a *drx.Array, spec drx.Spec) error {
	t := a.DType()
	switch fill, err := t.Encode(o.fill); {
	case o.dtype != "" && t != spec.DType:
		return usagef("--dtype %s: %s exists and is %v", o.dtype, a.Name(), t)
	case o.chunk != "" && !slices.Equal(spec.ChunkShape, a.ChunkShape()):
		return usagef("--chunk %s: %s exists and has chunks of %s", o.chunk, a.Name(), formatInts(a.ChunkShape()))
	case o.fill != "" && (err != nil || !bytes.Equal(fill, a.FillValue())):
		return usagef("--fill %s: %s exists and has the fill value %s", o.fill, a.Name(), t.Format(a.FillValue()))
	}
	return nil
}

// removeCreated removes an array that this process created, unless another process has appended to it
// since. It opens the array first, which empties all files but the log. So if the process is killed
// meanwhile, what remains is an empty array, or files that do not prevent the next creation.
func removeCreated(name string) {
	a, err := drx.Open(name, drx.Options{Write: true})
	if err != nil {
		return // another process has opened it
	}
	defer func() { _ = a.Discard() }()
	if a.Grid().Chunks() > 0 {
		return
	}
	_ = fileset.RemoveLocked(vfs.OS, a.Name())
}
