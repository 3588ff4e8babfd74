//go:build mpi && cgo

package main

// #include "internal.h"
// #include "drxmp.h"
import "C"

import (
	"unsafe"

	"drx/cmd/internal/capi"
)

//export drxgo_mp_redistribute
func drxgo_mp_redistribute(a C.drxmp_array, options *C.drxc_text) C.int {
	return call(func() error { return capi.MPRedistribute(capi.Handle(a), optional(options)) })
}

//export drxgo_mp_owner
func drxgo_mp_owner(a C.drxmp_array, rank C.int, at *C.drxc_numbers, proc *C.int) C.int {
	return call(func() error {
		i, err := index(rank, at)
		if err != nil {
			return err
		}
		p, err := capi.MPOwner(capi.Handle(a), i)
		return setInt(proc, p, err)
	})
}

// withZone calls f with the zone of a process in an array or a global array, and returns the code.
func withZone(h uint64, proc, rank C.int, f func(z capi.Zone) error) C.int {
	return withRank(rank, func(int) error {
		z, err := capi.ZoneOf(capi.Handle(h), int(proc))
		if err != nil {
			return err
		}
		return f(z)
	})
}

func zoneShape(h uint64, proc, rank C.int, shape *C.int64_t) C.int {
	return withZone(h, proc, rank, func(z capi.Zone) error { return z.StoreShape(int(rank), numbers(shape, rank)) })
}

func zoneBoxes(h uint64, proc C.int, boxes *C.int) C.int {
	return withZone(h, proc, 0, func(z capi.Zone) error { return setInt(boxes, len(z.Sections()), nil) })
}

func zoneBox(h uint64, proc, i, rank C.int, lo, hi *C.int64_t) C.int {
	return withZone(h, proc, rank, func(z capi.Zone) error {
		return z.StoreBox(int(i), int(rank), numbers(lo, rank), numbers(hi, rank))
	})
}

//export drxgo_mp_zone
func drxgo_mp_zone(a C.drxmp_array, proc, rank C.int, shape *C.int64_t) C.int {
	return zoneShape(uint64(a), proc, rank, shape)
}

//export drxgo_mp_boxes
func drxgo_mp_boxes(a C.drxmp_array, proc C.int, boxes *C.int) C.int {
	return zoneBoxes(uint64(a), proc, boxes)
}

//export drxgo_mp_box
func drxgo_mp_box(a C.drxmp_array, proc, i, rank C.int, lo, hi *C.int64_t) C.int {
	return zoneBox(uint64(a), proc, i, rank, lo, hi)
}

//export drxgo_mp_zone_chunks
func drxgo_mp_zone_chunks(a C.drxmp_array, proc C.int, chunks, file, memory *C.int64_t) C.int {
	return withZone(uint64(a), proc, 0, func(z capi.Zone) error {
		if file == nil && memory == nil {
			if chunks != nil {
				*chunks = C.int64_t(z.CountChunks())
			}
			return nil
		}
		if chunks == nil || *chunks < 0 {
			return z.StoreChunks(-1, []int64{}, nil)
		}
		return z.StoreChunks(int(*chunks), list(file, *chunks), list(memory, *chunks))
	})
}

// list returns n numbers at p, nil for NULL.
func list(p *C.int64_t, n C.int64_t) []int64 {
	if p == nil {
		return nil
	}
	return unsafe.Slice((*int64)(unsafe.Pointer(p)), n)
}

// The functions of drxmp_paper.c on descriptions.

//export drxgo_mp_spec
func drxgo_mp_spec(comm, rank C.int, shape, chunk *C.drxc_numbers, dtype C.int, h *C.drxmp_array) C.int {
	return withRank(rank, func(n int) error {
		s := capi.Spec{Comm: int64(comm), DType: typeOf(dtype)}
		if n > 0 {
			var err error
			if s.Shape, err = shapeOf(rank, shape); err == nil {
				s.Chunk, err = shapeOf(rank, chunk)
			}
			if err != nil {
				return err
			}
		}
		return setHandle(unsafe.Pointer(h), func() (capi.Handle, error) { return capi.NewSpec(s) })
	})
}

//export drxgo_mp_create_spec
func drxgo_mp_create_spec(h *C.drxmp_array, name *C.drxc_text) C.int {
	return openSpec(h, func(s capi.Spec) (capi.Handle, error) {
		options, err := s.Options()
		if err != nil {
			return 0, err
		}
		return capi.MPCreate(join(C.int(s.Comm)), optional(name), s.DType, s.Shape, options)
	})
}

//export drxgo_mp_open_spec
func drxgo_mp_open_spec(h *C.drxmp_array, name *C.drxc_text, mode C.int) C.int {
	return openSpec(h, func(s capi.Spec) (capi.Handle, error) {
		a, err := capi.MPOpen(join(C.int(s.Comm)), optional(name), capi.Mode(mode), "")
		if err != nil {
			return 0, err
		}
		return a, s.CheckOpened(a)
	})
}

// openSpec opens an array that was described, and replaces the handle.
func openSpec(h *C.drxmp_array, open func(capi.Spec) (capi.Handle, error)) C.int {
	return call(func() error {
		s, err := capi.SpecOf(capi.Handle(*h))
		if err != nil {
			return err
		}
		a, err := open(s)
		if err != nil {
			return err
		}
		described := capi.Handle(*h)
		*h = C.drxmp_array(a)
		return capi.FreeSpec(described)
	})
}

//export drxgo_mp_close_spec
func drxgo_mp_close_spec(h C.drxmp_array) C.int {
	return call(func() error {
		if capi.IsSpec(capi.Handle(h)) {
			return capi.FreeSpec(capi.Handle(h))
		}
		return capi.MPClose(capi.Handle(h))
	})
}
