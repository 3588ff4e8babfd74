//go:build ga && mpi && cgo

package ga

// #cgo pkg-config: ompi-c
// #cgo LDFLAGS: -Wl,--unresolved-symbols=ignore-all
// #include <stdlib.h>
// #include <mpi.h>
// #include <ga.h>
// #include <ga-mpi.h>
//
// static int drx_default_comm(void) { return MPI_Comm_c2f(GA_MPI_Comm_pgroup_default()); }
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/parallel/mpi"
	"drx/parallel/par"
)

// MaxRank is the largest number of dimensions of an array of Global Arrays.
const MaxRank = 7

// ErrHandle is returned for a number that is not the handle of a global array.
var ErrHandle = errors.New("no global array has this handle")

// types maps the numbers of element types in C to the types.
var types = map[C.int]dtype.DType{
	C.C_INT:   dtype.Int32,
	C.C_LONG:  dtype.Int64,
	C.C_FLOAT: dtype.Float32,
	C.C_DBL:   dtype.Float64,
	C.C_SCPL:  dtype.Complex64,
	C.C_DCPL:  dtype.Complex128,
}

// fortranTypes maps their numbers in Fortran, which programs in C may use, too.
var fortranTypes = map[C.int]dtype.DType{
	C.F_INT:  dtype.Int64,
	C.F_REAL: dtype.Float32,
	C.F_DBL:  dtype.Float64,
	C.F_SCPL: dtype.Complex64,
	C.F_DCPL: dtype.Complex128,
}

// Type returns the element type for a number of Global Arrays: C_INT, C_LONG, C_FLOAT, C_DBL,
// C_SCPL, C_DCPL, or their Fortran forms F_INT and so on.
func Type(number int) (dtype.DType, error) {
	t, ok := types[C.int(number)]
	if !ok {
		t, ok = fortranTypes[C.int(number)]
	}
	if !ok {
		return 0, errkind.Errorf(dtype.ErrDType, "element type %d: want C_INT, C_LONG, C_FLOAT, C_DBL, C_SCPL or C_DCPL", number)
	}
	return t, nil
}

// TypeNumber returns the number of an element type in C, or 0 if Global Arrays has no such type.
func TypeNumber(t dtype.DType) int {
	for number, known := range types {
		if known == t {
			return int(number)
		}
	}
	return 0
}

// DefaultGroup returns GA's default group, the processes that currently make collective calls. It
// is collective over them. Each call needs a Close of the group, which is collective too. The error
// is that of mpi.Adopt.
func DefaultGroup() (par.Comm, error) {
	return mpi.Adopt(mpi.Handle(C.drx_default_comm()))
}

// Proc returns the number of this process in GA's default group.
func Proc() int { return int(C.GA_Nodeid()) }

// Allocate returns memory whose address GA and MPI may keep, and a function that frees it.
func Allocate(bytes int) (buf []byte, free func(), err error) {
	p := C.malloc(C.size_t(max(bytes, 1)))
	if p == nil {
		return nil, nil, fmt.Errorf("no memory for a buffer of %d bytes", bytes)
	}
	return unsafe.Slice((*byte)(p), bytes), func() { C.free(p) }, nil
}

// An Array is a global array.
type Array struct {
	handle C.int
	dtype  dtype.DType
	number C.int // of the type
	shape  []int
	group  C.int // the processes that created it
}

// Open returns the global array with the given handle, local. The error wraps ErrHandle if there is
// none, or dtype.ErrDType if its element type has no counterpart.
func Open(handle int) (*Array, error) {
	h := C.int(handle)
	if C.GA_Valid_handle(h) == 0 {
		return nil, fmt.Errorf("handle %d: %w", handle, ErrHandle)
	}
	a := &Array{handle: h, group: C.GA_Get_pgroup(h)}
	var n C.int
	var dims [MaxRank]C.int64_t
	C.NGA_Inquire64(h, &a.number, &n, &dims[0])
	t, err := Type(int(a.number))
	if err != nil {
		return nil, fmt.Errorf("global array %d: %w", handle, err)
	}
	a.dtype = t
	for _, extent := range dims[:n] {
		a.shape = append(a.shape, int(extent))
	}
	return a, nil
}

// Handle returns the number by which the program names the array.
func (a *Array) Handle() int { return int(a.handle) }

// Type returns the element type.
func (a *Array) Type() dtype.DType { return a.dtype }

// Shape returns the extents, in elements.
func (a *Array) Shape() []int { return slices.Clone(a.shape) }

// Distribution returns the box of elements on a process of the default group, local. It is nil if
// there are none, if the array is block-cyclic, or if another group has created the array and the
// process is not in it.
func (a *Array) Distribution(proc int) nd.Section {
	if C.GA_Total_blocks(a.handle) >= 0 { // block-cyclic
		return nil
	}
	number, ok := a.numberInGroup(proc)
	if !ok {
		return nil
	}
	var lo, hi [MaxRank]C.int64_t
	C.NGA_Distribution64(a.handle, number, &lo[0], &hi[0])
	box := make(nd.Section, len(a.shape))
	for d := range box {
		if hi[d] < lo[d] || lo[d] < 0 {
			return nil
		}
		box[d] = nd.Span(int(lo[d]), int(hi[d])+1)
	}
	return box
}

// Access returns the box of the elements of this process, nil if there are none or they form no
// single box, and their memory: the element at position p of the box lies at byte
// sum(p[d]*strides[d]) of mem. Other processes see changes after release and Sync. It is local.
func (a *Array) Access() (own nd.Section, mem []byte, strides []int, release func(), err error) {
	own = a.Distribution(Proc())
	if own == nil {
		return nil, nil, nil, func() {}, nil
	}
	b := inclusive(own)
	var p unsafe.Pointer
	C.NGA_Access64(a.handle, &b.lo[0], &b.hi[0], unsafe.Pointer(&p), &b.ld[0])
	if p == nil {
		return nil, nil, nil, nil, fmt.Errorf("global array %d: the elements of process %d are not in its memory", a.handle, Proc())
	}
	strides = make([]int, len(own))
	stride, end := a.dtype.Size(), a.dtype.Size()
	for d := len(own) - 1; d >= 0; d-- {
		strides[d] = stride
		end += (own[d].Len() - 1) * stride
		if d > 0 {
			stride *= int(b.ld[d-1])
		}
	}
	release = func() {
		if a.exists() == nil { // otherwise GA would end the program
			C.NGA_Release_update64(a.handle, &b.lo[0], &b.hi[0])
		}
	}
	return own, unsafe.Slice((*byte)(p), end), strides, release, nil
}

// numberInGroup returns the number of a process of the default group in the group of the array.
func (a *Array) numberInGroup(proc int) (C.int, bool) {
	group := C.GA_Pgroup_get_default()
	if group == a.group {
		return C.int(proc), true
	}
	absolute := C.GA_Pgroup_absolute_id(group, C.int(proc))
	if a.group == C.GA_Pgroup_get_world() {
		return absolute, true
	}
	for i := range C.GA_Get_pgroup_size(a.group) {
		if C.GA_Pgroup_absolute_id(a.group, i) == absolute {
			return i, true
		}
	}
	return 0, false
}

// A box is a section in GA's form: both ends inclusive, and the extents of a buffer without gaps.
type box struct {
	lo, hi, ld [MaxRank]C.int64_t
}

// inclusive converts a section without steps to GA's form.
func inclusive(sec nd.Section) (b box) {
	for d, r := range sec {
		b.lo[d], b.hi[d] = C.int64_t(r.Lo), C.int64_t(r.Hi-1)
		if d > 0 {
			b.ld[d-1] = C.int64_t(r.Hi - r.Lo)
		}
	}
	return b
}

// exists returns an error if the program has destroyed the array. Another array may have its handle
// since: exists notices that only if type, group or shape differ.
func (a *Array) exists() error {
	same := C.GA_Valid_handle(a.handle) != 0
	if same {
		now, err := Open(int(a.handle))
		same = err == nil && now.number == a.number && now.group == a.group && slices.Equal(now.shape, a.shape)
	}
	if !same {
		return errkind.Errorf(ErrHandle, "global array %d was destroyed", a.handle)
	}
	return nil
}

// box checks a section and a buffer, because GA would end the program on an error.
func (a *Array) box(sec nd.Section, buf []byte) (b box, err error) {
	if err := a.exists(); err != nil {
		return b, err
	}
	if err := nd.CheckRank("ranges", len(sec), len(a.shape)); err != nil {
		return b, err
	}
	elements := 1
	for d, r := range sec {
		if r.Lo < 0 || r.Hi > a.shape[d] || r.Lo >= r.Hi || r.Stride() != 1 {
			return b, nd.DimErrorf(d, "%w", errkind.Errorf(nd.ErrBounds, "%v of global array %d: the indices are 0 to %d", r, a.handle, a.shape[d]-1))
		}
		elements *= r.Len()
	}
	if want := elements * a.dtype.Size(); len(buf) != want {
		return b, errkind.Errorf(par.ErrArgument, "the buffer has %d bytes, the section %d", len(buf), want)
	}
	return inclusive(sec), nil
}

// Get copies the elements of a box to buf, row-major. The error wraps ErrHandle if the array was
// destroyed, nd.ErrRank, nd.ErrBounds or par.ErrArgument.
func (a *Array) Get(sec nd.Section, buf []byte) error {
	b, err := a.box(sec, buf)
	if err != nil {
		return err
	}
	C.NGA_Get64(a.handle, &b.lo[0], &b.hi[0], unsafe.Pointer(unsafe.SliceData(buf)), &b.ld[0])
	return nil
}

// Put copies the elements of buf, row-major, to a box. It returns the errors of Get.
func (a *Array) Put(sec nd.Section, buf []byte) error {
	b, err := a.box(sec, buf)
	if err != nil {
		return err
	}
	C.NGA_Put64(a.handle, &b.lo[0], &b.hi[0], unsafe.Pointer(unsafe.SliceData(buf)), &b.ld[0])
	return nil
}

// Sync returns when all processes of the default group have called it, and all their Puts are
// stored.
func (a *Array) Sync() error {
	C.GA_Sync()
	return nil
}

// Regrow changes the extents of the array and gives it the default distribution, with the same
// handle and name, collective over the group of the array. The elements are undefined. The error
// wraps par.ErrArgument for a block-cyclic array. Without enough memory the array is unchanged,
// except for the values of its elements.
func (a *Array) Regrow(shape []int) error {
	if err := nd.CheckRank("extents", len(shape), len(a.shape)); err != nil {
		return err
	}
	// GA would keep the number of blocks, and reach wrong elements.
	if C.GA_Total_blocks(a.handle) >= 0 {
		return errkind.Errorf(par.ErrArgument, "global array %d: the extents of a block-cyclic array cannot be changed: create another one with %v, and read to that", a.handle, shape)
	}
	C.GA_Deallocate(a.handle)
	if !a.allocate(shape) {
		if !a.allocate(a.shape) {
			return fmt.Errorf("global array %d: no memory to have its extents %v again, after %v failed", a.handle, a.shape, shape)
		}
		return fmt.Errorf("global array %d: no memory for the extents %v; it has %v still", a.handle, shape, a.shape)
	}
	a.shape = slices.Clone(shape)
	return nil
}

func (a *Array) allocate(shape []int) bool {
	var dims [MaxRank]C.int64_t
	for d, n := range shape {
		dims[d] = C.int64_t(n)
	}
	C.GA_Set_data64(a.handle, C.int(len(shape)), &dims[0], a.number)
	return C.GA_Allocate(a.handle) != 0
}
