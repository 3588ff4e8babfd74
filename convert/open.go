package convert

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"drx/convert/raster"
	"drx/nd"
)

// Options say how to open. The zero value is good for most files.
type Options struct {
	// Format is the name of the format; empty: the file tells.
	Format string
	// Variable is the name of the variable; empty: the only one.
	Variable string
	// Memory bounds the bytes that it takes to decode a file; 0 is raster.DefaultMemory.
	Memory int64
}

// An Input is a file, a stream or a folder to be opened by a Format.
type Input struct {
	Path     string      // "-" for standard input
	Folder   bool        // Path is a folder; the next four fields are zero
	Head     []byte      // the first bytes, HeadSize of them if there are as many
	Stream   io.Reader   // all bytes
	File     io.ReaderAt // the same bytes; nil when they can only be read from front to back
	Size     int64       // bytes of File
	Variable string      // see Options
	Memory   int64       // see Options, never 0
}

// Open opens an array in the file at path, or on standard input when path is "-". The first bytes
// tell the format, or else the extension. NumPy and netpbm files are read piece by piece;
// a PNG or TIFF picture is decoded in memory, a page at a time, and a picture from a stream is held in
// memory as well: Options.Memory bounds both. Pictures are decoded from the top: a section
// above the one read last makes the decoder begin again.
//
// The error names the file. It wraps ErrFormat or ErrNotRead when the format is not known or not one that is read,
// ErrVariable, ErrMemory, and otherwise those of npy.NewReader, raster.NewReader, or the format
// registered; so do the errors of ReadSection.
func Open(path string, o Options) (Reader, error) {
	var r Reader
	name, closeInput, err := withInput(path, o, func(f Format, in *Input) (err error) {
		r, err = f.Open(in)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &opened{Reader: r, name: name, close: closeInput}, nil
}

// List describes the variables of the file at path, of which Open opens one. The error is that of Open.
func List(path string, o Options) (vars []Info, err error) {
	_, closeInput, err := withInput(path, o, func(f Format, in *Input) (err error) {
		if f.List != nil {
			vars, err = f.List(in)
			return err
		}
		r, err := f.Open(in)
		if err != nil {
			return err
		}
		vars = []Info{r.Info()}
		return r.Close()
	})
	if err != nil {
		return nil, err
	}
	return vars, closeInput()
}

// withInput calls f with the input at path and its format. The input stays open if f returns nil.
// The error names the file, for which name is what it is called.
func withInput(path string, o Options, f func(Format, *Input) error) (name string, closeInput func() error, err error) {
	name, file, closeInput := path, os.Stdin, func() error { return nil }
	if path == "-" {
		name = "standard input"
	} else {
		if file, err = os.Open(path); err != nil {
			return name, nil, err // names the file
		}
		closeInput = file.Close
	}
	in, err := newInput(file, path, o)
	if err == nil {
		var format Format
		if format, err = choose(in, o.Format); err == nil {
			err = f(format, in)
		}
	}
	if err != nil {
		_ = closeInput() // the first error is what the caller needs
		return name, nil, named(name, err)
	}
	return name, closeInput, nil
}

// choose returns the format of an input, by its name if it has one.
func choose(in *Input, name string) (Format, error) {
	if name == "" {
		return find(in)
	}
	f, err := ByName(name)
	if err == nil && !reads(f) {
		err = fmt.Errorf("format %s: %w: %s", f.Name, ErrNotRead, list(Formats(), reads))
	}
	return f, err
}

// newInput looks at the first bytes of f. Standard input is a stream even when it is
// a file, since others may have read from it already.
func newInput(f *os.File, path string, o Options) (*Input, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	in := &Input{Path: path, Variable: o.Variable, Memory: cmp.Or(o.Memory, raster.DefaultMemory)}
	if info.IsDir() {
		in.Folder = true
		return in, nil
	}
	in.Head, in.Stream, in.File, in.Size = make([]byte, HeadSize), f, f, info.Size()
	n := 0
	if f != os.Stdin && info.Mode().IsRegular() {
		n, err = f.ReadAt(in.Head, 0)
	} else {
		b := bufio.NewReaderSize(f, 1<<16)
		var head []byte
		head, err = b.Peek(HeadSize)
		n = copy(in.Head, head)
		in.Stream, in.File, in.Size = b, nil, 0
	}
	in.Head = in.Head[:n]
	if err == io.EOF {
		err = nil
	}
	return in, err
}

// An opened reader closes its file, and its errors name it.
type opened struct {
	Reader
	name  string
	close func() error
}

// ReadSection implements Reader.
func (o *opened) ReadSection(sec nd.Section, buf []byte) error {
	return named(o.name, o.Reader.ReadSection(sec, buf))
}

// Close implements Reader.
func (o *opened) Close() error {
	return named(o.name, errors.Join(o.Reader.Close(), o.close()))
}

// named puts the name before the error, unless the error has it already.
func named(name string, err error) error {
	var path *fs.PathError
	if err == nil || errors.As(err, &path) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Create begins a file of one array in the format of the name, which is that of a format or of a file with its
// extension. w is empty, and is left open by the Writer. Where it is a regular *os.File, sections
// may be written in any order; standard output counts as a stream, as others may have written to it.
//
// The error wraps ErrFormat or ErrNotWritten when the format is not known or not one that is written, and otherwise
// what the format returns for an Info that has no counterpart in it.
func Create(w io.Writer, name string, info Info) (Writer, error) {
	f, err := ByName(name)
	if err != nil {
		return nil, err
	}
	if !writes(f) {
		return nil, fmt.Errorf("%s: format %s: %w: %s", name, f.Name, ErrNotWritten, list(Formats(), writes))
	}
	writers, err := f.Create(w, []Info{info})
	if err != nil {
		return nil, err
	}
	return writers[0], nil
}
