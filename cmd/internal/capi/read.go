package capi

import (
	"fmt"

	"drx"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// Read reads a section into a buffer of the host.
func Read(h Handle, rank int, s Section, b Buffer) error { return move(h, rank, s, b, reading) }

// Write writes a section from a buffer of the host.
func Write(h Handle, rank int, s Section, b Buffer) error { return move(h, rank, s, b, writing) }

// A direction says where elements go: reading or writing the array.
type direction bool

const (
	reading direction = false
	writing direction = true
)

// String returns the name of the direction, for errors.
func (d direction) String() string {
	if d == writing {
		return "write"
	}
	return "read"
}

// keeps reports whether elements that are moved keep their values, unless their type changes.
func (a *array) keeps(dir direction) bool { return dir == reading || a.round == nil }

// dense moves a section between the array and dense, little-endian elements of its type.
func (d direction) dense(a *array, sec nd.Section, buf []byte) error {
	if d == writing {
		return a.WriteBytes(sec, buf, nil)
	}
	return a.ReadBytes(sec, buf, nil)
}

// strided is dense for a buffer with strides in bytes, none of them negative.
func (d direction) strided(a *array, sec nd.Section, buf []byte, strides []int) error {
	if d == writing {
		return a.WriteStrided(sec, buf, strides)
	}
	return a.ReadStrided(sec, buf, strides)
}

// move moves a section between an array and a buffer.
func move(h Handle, rank int, s Section, b Buffer, dir direction) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	if err := checkType(b.DType); err != nil {
		return fmt.Errorf("%s: %v: %w", a.Name(), dir, err)
	}
	r, err := newRequest(a, rank, s)
	if err != nil {
		return err
	}
	defer r.free()
	if b.Strides == nil && b.Data != nil && b.Size >= 0 && stored(a, b.DType) && a.keeps(dir) {
		n, err := Int(b.Size)
		if err != nil {
			return err
		}
		if n > 0 {
			r.probe(a, b, n)
		}
		return dir.dense(a, r.sec, b.bytes(n))
	}
	return r.moveChecked(a, b, dir)
}

// probe touches the ends of a buffer of n bytes, and panics if the address is bad. It does nothing
// if n is not the size of the section: then the buffer is not used, and the error of the call has
// both sizes.
func (r *request) probe(a *array, b Buffer, n int) {
	defer func() {
		if v := recover(); v != nil && r.bytes(a) == n {
			panic(v)
		}
	}()
	b.probe(0, n)
}

// bytes returns the size of the section's elements in bytes, or -1 if the array has no such
// section.
func (r *request) bytes(a *array) int {
	sec, err := r.sec.Resolve(a.Bounds().Bounds())
	if err != nil {
		return -1
	}
	n, err := sec.Len()
	if err != nil {
		return -1
	}
	return n * a.DType().Size()
}

// moveChecked is move for buffers that package drx cannot check: with strides, with another type,
// or of unknown size.
func (r *request) moveChecked(a *array, b Buffer, dir direction) error {
	sec, err := r.sec.Resolve(a.Bounds().Bounds())
	if err != nil {
		return fmt.Errorf("%s: %v: %w", a.Name(), dir, err)
	}
	elem := b.DType.Size()
	if b.DType == Raw {
		elem = a.DType().Size()
	}
	shape := sec.Shape()
	n, err := nd.Product(append(shape, elem)...)
	if err != nil {
		return fmt.Errorf("%s: %v: %w", a.Name(), dir, err)
	}
	if n == 0 {
		if b.Size > 0 && b.Strides == nil {
			return errkind.Errorf(drx.ErrSize, "%s: %v: buffer of %d bytes, the section is empty", a.Name(), dir, b.Size)
		}
		return dir.dense(a, sec, nil) // for its check that the array is open for this direction
	}
	first, end, err := b.lay(shape[:len(sec)], elem, dir == reading, r.strides)
	if err != nil {
		return fmt.Errorf("%s: %v: %w", a.Name(), dir, err)
	}
	b.probe(first, end)
	if first == 0 && stored(a, b.DType) && a.keeps(dir) {
		return dir.strided(a, sec, b.bytes(end), r.strides)
	}
	return r.stage(a, sec, b, dir)
}

// Fill sets all elements of a section to the first element of a buffer.
func Fill(h Handle, rank int, s Section, b Buffer) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	value, err := a.encode(b)
	if err != nil {
		return fmt.Errorf("%s: fill: %w", a.Name(), err)
	}
	r, err := newRequest(a, rank, s)
	if err != nil {
		return err
	}
	defer r.free()
	return a.FillBytes(r.sec, value)
}

// encode returns the first element of a buffer as an element of the array, rounded if those are.
func (a *array) encode(b Buffer) ([]byte, error) {
	if err := checkType(b.DType); err != nil {
		return nil, err
	}
	if b.Data == nil {
		return nil, invalidf("the value is NULL")
	}
	from, to := b.DType, a.DType()
	if from == Raw {
		value := append([]byte(nil), b.bytes(to.Size())...)
		return value, a.applyRounding(value)
	}
	c, err := a.toStored(from)
	if err != nil {
		return nil, err
	}
	value := append([]byte(nil), b.bytes(from.Size())...)
	from.ToLittle(value)
	if value, err = convert(c, to, value); err == nil {
		err = a.applyRounding(value)
	}
	return value, err
}

// decode stores an element of the array as the first one of a buffer.
func (a *array) decode(element []byte, b Buffer) error {
	if err := checkType(b.DType); err != nil {
		return err
	}
	if b.Data == nil {
		return invalidf("the place for the value is NULL")
	}
	from, to := a.DType(), b.DType
	if to == Raw {
		copy(b.bytes(from.Size()), element)
		return nil
	}
	c, err := converter(from, to)
	if err != nil {
		return err
	}
	value, err := convert(c, to, element)
	if err != nil {
		return err
	}
	to.ToLittle(value)
	copy(b.bytes(to.Size()), value)
	return nil
}

// convert returns one little-endian element as one of another type. c is nil if the types are
// equal.
func convert(c *dtype.Converter, to dtype.DType, element []byte) ([]byte, error) {
	if c == nil {
		return element, nil
	}
	value := make([]byte, to.Size())
	return value, c.Apply(value, element)
}

// FillValue stores the fill value of an array in a buffer.
func FillValue(h Handle, b Buffer) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	if err := a.decode(a.FillValue(), b); err != nil {
		return fmt.Errorf("%s: %w", a.Name(), err)
	}
	return nil
}
