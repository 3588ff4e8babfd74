package cformat

import (
	"fmt"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// A Library reads the files of a format with a C library, which one goroutine at a time may call.
type Library struct {
	// Enter locks the library: other goroutines wait until the returned function is called.
	Enter func() (leave func())
	// Read opens the file of an input and describes it.
	Read func(in *formats.Input) (File, error)
}

// A File is a file that a library has open for reading. Its methods run after Enter.
type File interface {
	// Open opens the variable that the input names. Unless there is an error the file belongs to
	// the Elements, which close it.
	Open(in *formats.Input) (Elements, error)
	Content() formats.Content
	Close() error
}

// Elements are the elements of an open variable. The methods run after Enter, and none after Close.
type Elements interface {
	Info() formats.Info
	// Read reads a section into buf, little-endian. The section is valid and not empty.
	Read(sec nd.Section, buf []byte) error
	Close() error
}

// Open implements formats.Format.
func (l Library) Open(in *formats.Input) (formats.Reader, error) {
	defer l.Enter()()
	f, err := l.Read(in)
	if err != nil {
		return nil, err
	}
	e, err := f.Open(in)
	if err != nil {
		_ = f.Close() // the first error is what the caller needs
		return nil, err
	}
	return &reader{enter: l.Enter, info: e.Info(), elements: e}, nil
}

// List implements formats.Format.
func (l Library) List(in *formats.Input) (formats.Content, error) {
	defer l.Enter()()
	f, err := l.Read(in)
	if err != nil {
		return formats.Content{}, err
	}
	return f.Content(), f.Close()
}

// A reader implements formats.Reader for the elements of a variable.
type reader struct {
	enter    func() (leave func())
	info     formats.Info
	elements Elements // nil after Close
}

// Info implements formats.Reader.
func (r *reader) Info() formats.Info { return r.info }

// ReadSection implements formats.Reader.
func (r *reader) ReadSection(sec nd.Section, buf []byte) error {
	sec, err := r.info.Check(sec, buf)
	if err != nil || len(buf) == 0 {
		return err
	}
	defer r.enter()()
	if r.elements == nil {
		return inSection(r.info.Name, sec, ErrClosed)
	}
	if err = r.elements.Read(sec, buf); err == nil && r.info.DType == dtype.Bool {
		err = checkBools(buf)
	}
	return inSection(r.info.Name, sec, err)
}

// Close implements formats.Reader.
func (r *reader) Close() error {
	defer r.enter()()
	e := r.elements
	if e == nil {
		return nil
	}
	r.elements = nil
	return e.Close()
}

// inSection adds the section and the variable to an error.
func inSection(name string, sec nd.Section, err error) error {
	if err == nil {
		return nil
	}
	return inVariable(name, fmt.Errorf("section %v: %w", sec, err))
}

// inVariable adds the name of a variable to an error. The only variable of a file may have no name.
func inVariable(name string, err error) error {
	if err == nil || name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// checkBools returns an error for a byte that is neither 0 nor 1.
func checkBools(buf []byte) error {
	for i, b := range buf {
		if b > 1 {
			return fmt.Errorf("element %d of the section is %d, which is neither false (0) nor true (1)", i, b)
		}
	}
	return nil
}
