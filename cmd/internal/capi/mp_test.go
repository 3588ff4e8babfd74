package capi

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"drx"
	"drx/dtype"
	"drx/parallel/par"
)

// bufferOf returns a buffer with the elements of a slice.
func bufferOf[T dtype.Element](data []T, strides ...int64) Buffer {
	b := Buffer{DType: dtype.Of[T](), Data: unsafe.Pointer(unsafe.SliceData(data)), Size: int64(len(dtype.Bytes(data)))}
	if len(strides) > 0 {
		b.Strides = strides
	}
	return b
}

// grouped returns a function that makes the group of a proc.
func grouped(c par.Comm) func() (Group, error) {
	return func() (Group, error) { return Group{Comm: open{c}, Fail: func(error) {}}, nil }
}

// open is a group whose Close does nothing, because the program closes it.
type open struct{ par.Comm }

func (open) Close() error { return nil }

// TestMP: procs write and read an array with other types and layouts, and one of them passes wrong
// arguments.
func TestMP(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := par.Run(2, func(c par.Comm) error { return mpProgram(c, name) }); err != nil {
		t.Fatal(err)
	}
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	got, err := drx.Read[float32](a, nil)
	if want := []float32{0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32}; err != nil || !slices.Equal(got, want) {
		t.Errorf("the array has %v, %v, want %v", got, err, want)
	}
}

func mpProgram(c par.Comm, name string) error {
	h, err := MPCreate(grouped(c), name, dtype.Float32, []int{4, 3}, `{"chunk": [1, 2]}`)
	if err != nil {
		return err
	}
	rows := Section{Lo: []int64{int64(2 * c.Proc()), 0}, Hi: []int64{int64(2*c.Proc() + 2), 3}}
	column := []int16{0, 10, 1, 11, 2, 12} // column-major
	for i := range column {
		column[i] += int16(20 * c.Proc())
	}
	all, alone := Call{Writing: true, Collective: true}, Call{}
	if err := MPMove(h, all, 2, rows, bufferOf(column, 2, 4)); err != nil {
		return err
	}
	back := make([]float64, 6)
	if err := MPMove(h, alone, 2, rows, bufferOf(back)); err != nil {
		return err
	}
	for i, x := range back {
		if want := float64(10*(2*c.Proc()+i/3) + i%3); x != want {
			return fmt.Errorf("element %d is %v, want %v", i, x, want)
		}
	}
	return errors.Join(mpMistakes(c, h, rows), MPSync(h), MPClose(h))
}

// mpMistakes checks that all procs get the error of proc 1.
func mpMistakes(c par.Comm, h Handle, rows Section) error {
	const size, kind = 6, dtype.Float32
	for _, m := range []struct {
		size int
		kind dtype.DType
		want Code
	}{{5, kind, CodeSize}, {6, dtype.Int8, CodeDType}, {6, 99, CodeDType}} {
		b := bufferOf(make([]float32, size))
		if c.Proc() == 1 {
			b = bufferOf(make([]float32, m.size))
			if m.kind != kind {
				b.DType, b.Size = m.kind, Unchecked
			}
		}
		err := MPMove(h, Call{Collective: true}, 2, rows, b)
		var whose *par.ProcError
		if CodeOf(err) != m.want || !errors.As(err, &whose) || whose.Proc != 1 {
			return fmt.Errorf("%+v: code %d, %w", m, CodeOf(err), err)
		}
	}
	return nil
}

// TestMPCodes: the errors of package par must have codes of their own.
func TestMPCodes(t *testing.T) {
	for err, want := range map[error]Code{
		par.ErrDisagree: CodeDisagree, par.ErrFailed: CodeFailed, par.ErrTimeout: CodeTimeout, par.ErrThread: CodeThread,
		par.ErrArgument: CodeInvalid, par.ErrClosed: CodeClosed, par.ErrBusy: CodeBusy, par.ErrSize: CodeSize,
	} {
		if got := CodeOf(fmt.Errorf("x: %w", err)); got != want {
			t.Errorf("%v has code %d, want %d", err, got, want)
		}
	}
}
