package pexta

import (
	"fmt"
	"slices"

	"drx"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
	"drx/parallel/pexta/internal/division"
)

// A Spec describes an array to create. It is the same on all procs, except for File: only that of
// proc 0 is used.
type Spec struct {
	// Type is the element type, one of Types.
	Type dtype.DType
	// Shape has the extents, in elements, at least 1 each.
	Shape []int
	// Name is any text in any encoding. It is stored with the array, and Inquire returns it.
	Name string
	// File is the name of the array's files, without extension.
	File string
	// Mode must allow writing.
	Mode Mode
	// Request has the extents of a typical request, in elements. An extent of 0 or less is unknown;
	// nil means that all are unknown. Chunks have about 1 MiB and a shape that suits such requests.
	Request []int
	// ChunkShape has the extents of a chunk, in elements; nil means that Request determines them.
	ChunkShape []int
	// Like, if not nil, is a global array that will be written to this array. The chunks are
	// initially distributed like it.
	Like GlobalArray
}

// Create creates an array and opens it, collective over the procs of c, which must stay open as
// long as the array. An array with the same name is removed before, unless another program has it
// open. All elements are 0. The error wraps par.ErrArgument, drx.ErrDType, drx.ErrRank,
// drx.ErrBounds, drx.ErrOverflow or ErrTooMany, or is that of drx.Remove or drx.Create.
func (s *Session) Create(c par.Comm, spec Spec) (Handle, error) {
	file, err := s.opening(c, "create", spec.File, spec.Mode)
	if err == nil {
		err = agreeOn(c, file, spec.String(), spec.check())
	}
	if err == nil {
		err = agreeOn(c, file, "create", removeOld(c, file))
	}
	if err != nil {
		return 0, err
	}
	chunk := spec.ChunkShape
	if chunk == nil {
		chunk = division.ChunkShape(spec.Type, spec.Shape, spec.Request)
	}
	work := division.Work{Chunk: chunk, Section: whole(spec.Shape), Held: make([]nd.Section, c.Procs())}
	if spec.Like != nil && slices.Equal(spec.Like.Shape(), spec.Shape) {
		for p := range work.Held {
			work.Held[p] = spec.Like.Distribution(p)
		}
	}
	cache := s.share()
	disk, err := drxmp.Create(c, file, drx.Spec{
		DType: spec.Type, Shape: spec.Shape, ChunkShape: chunk, Attrs: map[string]any{nameAttr: nameValue(spec.Name)}, Options: s.drxOptions(spec.Mode, cache),
	}, drxmp.Options{Engine: drxmp.Direct, Distribution: work.Best().Distribution()})
	if err != nil {
		return 0, err
	}
	return s.add(&array{file: file, name: spec.Name, mode: spec.Mode, comm: c, disk: disk, cache: cache}), nil
}

// String describes the spec in one line.
func (s Spec) String() string {
	return fmt.Sprintf("create %v %v, chunks of %v, requests of %v, to %v", s.Type, s.Shape, s.ChunkShape, s.Request, s.Mode)
}

// check returns an error for an invalid spec.
func (s Spec) check() error {
	if err := checkType(s.Type); err != nil {
		return err
	}
	if err := checkRank(len(s.Shape)); err != nil {
		return err
	}
	for d, n := range s.Shape {
		if n < 1 {
			return nd.DimErrorf(d, "%w", errkind.Errorf(nd.ErrBounds, "extent %d: want at least 1", n))
		}
	}
	if s.Request != nil {
		if err := nd.CheckRank("extents of a request", len(s.Request), len(s.Shape)); err != nil {
			return err
		}
	}
	if s.ChunkShape != nil {
		if err := nd.CheckRank("extents of a chunk", len(s.ChunkShape), len(s.Shape)); err != nil {
			return err
		}
	}
	for d, n := range s.ChunkShape {
		if n < 1 {
			return nd.DimErrorf(d, "%w", errkind.Errorf(nd.ErrBounds, "extent %d of a chunk: want at least 1", n))
		}
	}
	if s.Like != nil && s.Like.Type() != s.Type {
		return errkind.Errorf(drx.ErrDType, "elements %v, global array %d has %v", s.Type, s.Like.Handle(), s.Like.Type())
	}
	if !s.Mode.writes() {
		return fmt.Errorf("mode %v: %w: a new array is opened to write, or to read and write", s.Mode, drx.ErrReadOnly)
	}
	return nil
}

func checkType(t dtype.DType) error {
	if !slices.Contains(Types, t) {
		return errkind.Errorf(drx.ErrDType, "elements %v: want one of %v", t, Types)
	}
	return nil
}

func checkRank(rank int) error {
	if rank < 1 || rank > MaxRank {
		return errkind.Errorf(drx.ErrRank, "%d dimensions: want 1 to %d", rank, MaxRank)
	}
	return nil
}

// removeOld removes, on proc 0, the files of an array that is about to be created again.
func removeOld(c par.Comm, file string) error {
	if c.Proc() != 0 {
		return nil
	}
	exists, err := drx.Exists(file)
	if err != nil || !exists {
		return err
	}
	return drx.Remove(file)
}
