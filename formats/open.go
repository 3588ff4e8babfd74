package formats

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"drx/formats/raster"
	"drx/formats/texttable"
	"drx/internal/errkind"
	"drx/nd"
)

// Options are the options of Open and List. The zero value is right for most files.
type Options struct {
	// Format is the name of the format. If it is empty, the format is found from the file.
	Format string
	// Variable is the name of the variable. It may be empty if the file has only one.
	Variable string
	// Memory is the limit on memory for decoding a file, in bytes; 0 is raster.DefaultMemory.
	Memory int64
	// Rounded also reads variables with Info.Rounded.
	Rounded bool
	// Table says how tables of text are meant; options of it are an error for other formats.
	Table texttable.Options
	// Beside, if not nil, is a Reader of the same file. While it is open, the process that reads
	// the file for it can serve other Readers, too, which costs less than to start another process.
	Beside Reader
}

// An Input is a file, a stream or a folder to be opened by a Format.
type Input struct {
	Path     string      // "-" for standard input
	Folder   bool        // Path is a folder; the next four fields are zero
	Head     []byte      // the first HeadSize bytes, or all of a shorter file
	Stream   io.Reader   // all bytes
	File     io.ReaderAt // the same bytes; nil if they can only be read sequentially
	Size     int64       // bytes of File
	Variable string      // see Options
	Memory   int64       // see Options, never 0
	Rounded  bool        // see Options
	Table    texttable.Options
	Beside   Reader // see Options; a Reader of the format itself, nil for one of another file
}

// Open opens an array in the file at path, or on standard input if path is "-". It finds the format
// from the first bytes, otherwise from the extension. NumPy and netpbm files are read
// incrementally. A PNG or TIFF picture is decoded in memory, one page at a time, and a picture from
// a stream is held in memory as well; Options.Memory limits both. Pictures are decoded from the
// top: to read a section above the previous one, decoding starts again.
//
// The error names the file. It wraps ErrFormat if the format is unknown, ErrNotRead if it cannot be
// read, ErrVariable, ErrMemory, or an error of npy.NewReader, raster.NewReader or another
// registered format. The same is true for errors of ReadSection.
func Open(path string, o Options) (Reader, error) {
	var r Reader
	name, closeInput, err := withInput(path, o, func(f Format, in *Input) (err error) {
		r, err = f.Open(in)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &namedReader{Reader: r, path: path, name: name, close: closeInput}, nil
}

// List describes the file at path and all its variables, also those that cannot be read
// (Info.Refused). It returns the same errors as Open.
func List(path string, o Options) (c Content, err error) {
	_, closeInput, err := withInput(path, o, func(f Format, in *Input) (err error) {
		if f.List != nil {
			c, err = f.List(in)
			return err
		}
		r, err := f.Open(in)
		if err != nil {
			return err
		}
		c.Vars = []Info{r.Info()}
		return r.Close()
	})
	if err != nil {
		return Content{}, err
	}
	return c, closeInput()
}

// withInput calls f with the input at path and its format. If f returns nil, the input stays open
// until closeInput is called. Errors begin with name, the name of the file.
func withInput(path string, o Options, f func(Format, *Input) error) (name string, closeInput func() error, err error) {
	name, file, closeInput := path, os.Stdin, func() error { return nil }
	if path == "-" {
		name = "standard input"
	} else {
		if file, err = os.Open(path); err != nil {
			return name, nil, err // the error names the file already
		}
		closeInput = file.Close
	}
	in, err := newInput(file, path, o)
	if err == nil {
		var format Format
		if format, err = chooseFormat(in, o.Format); err == nil && !format.Text {
			err = o.Table.RefuseAll()
		}
		if err == nil {
			err = f(format, in)
		}
	}
	if err != nil {
		_ = closeInput() // the first error is what the caller needs
		if in != nil && bytes.HasPrefix(in.Head, []byte("version https://")) {
			err = errkind.Errorf(ErrFormat, "is a pointer of Git LFS, not the file itself, which 'git lfs pull' fetches")
		}
		return name, nil, withName(name, err)
	}
	return name, closeInput, nil
}

// chooseFormat returns the format with the given name, or finds it from the input if name is empty.
func chooseFormat(in *Input, name string) (Format, error) {
	if name == "" {
		return detect(in)
	}
	f, err := ByName(name)
	if err == nil && !reads(f) {
		err = fmt.Errorf("format %s: %w: %s", f.Name, ErrNotRead, describeFormats(Formats(), reads))
	}
	return f, err
}

// newInput reads the first bytes of f. Standard input is a stream even if it is a file,
// because another process may have read from it already.
func newInput(f *os.File, path string, o Options) (*Input, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	in := &Input{Path: path, Variable: o.Variable, Memory: cmp.Or(o.Memory, raster.DefaultMemory), Rounded: o.Rounded, Table: o.Table}
	if r, ok := o.Beside.(*namedReader); ok && r.path == path {
		in.Beside = r.Reader
	}
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

// A namedReader closes its file, and its errors name the file.
type namedReader struct {
	Reader
	path, name string // name is for errors
	close      func() error
}

// ReadSection implements Reader.
func (o *namedReader) ReadSection(sec nd.Section, buf []byte) error {
	return withName(o.name, o.Reader.ReadSection(sec, buf))
}

// Missing implements Sparse.
func (o *namedReader) Missing(sec nd.Section) []byte {
	if s, ok := o.Reader.(Sparse); ok {
		return s.Missing(sec)
	}
	return nil
}

// ReadFrame implements FrameReader.
func (o *namedReader) ReadFrame(chunkIndex []int) ([]byte, error) {
	r, ok := o.Reader.(FrameReader)
	if !ok {
		return nil, nil
	}
	frame, err := r.ReadFrame(chunkIndex)
	return frame, withName(o.name, err)
}

// Close implements Reader.
func (o *namedReader) Close() error {
	return withName(o.name, errors.Join(o.Reader.Close(), o.close()))
}

// withName prefixes an error with the name, unless the error contains a name already.
func withName(name string, err error) error {
	var path *fs.PathError
	if err == nil || errors.As(err, &path) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Create begins a file with one array. name is the name of a format, or a file name with its
// extension. w must be empty; the Writer does not close it. If w is a regular *os.File, sections
// may be written in any order. Standard output counts as a stream, because another process may have
// written to it.
//
// The error wraps ErrFormat if the format is unknown, ErrNotWritten if it cannot be written, or is
// the error of the format for an Info that it cannot represent. Formats whose libraries write files
// by name need CreateFile instead.
func Create(w io.Writer, name string, info Info) (Writer, error) {
	f, err := ByName(name)
	if err != nil {
		return nil, err
	}
	if f.Create == nil {
		return nil, notWritten(name, f, func(f Format) bool { return f.Create != nil })
	}
	writers, err := f.Create(w, Content{Vars: []Info{info}})
	if err != nil {
		return nil, err
	}
	return writers[0], nil
}

func notWritten(name string, f Format, can func(Format) bool) error {
	return fmt.Errorf("%s: format %s: %w: %s", name, f.Name, ErrNotWritten, describeFormats(Formats(), can))
}

// CreateFile begins the file, or the folder, path with the given content, in the format of the
// given name, or that of the extension of path if format is empty. It returns a writer for each
// variable, in the same order; the file is complete when all are closed. path must not exist: the
// error wraps fs.ErrExist otherwise. The caller removes an incomplete file. The other errors are
// those of Create.
func CreateFile(path, format string, c Content) ([]Writer, error) {
	f, err := ByName(cmp.Or(format, path))
	if err != nil {
		return nil, err
	}
	if !f.Writes() {
		return nil, notWritten(path, f, Format.Writes)
	}
	if err := f.CheckCodec(c.Codec); err != nil {
		return nil, withName(path, err)
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	if f.CreatePath != nil {
		writers, err := f.CreatePath(path, c)
		return writers, withName(path, err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	writers, err := f.Create(file, c)
	if err != nil {
		return nil, withName(path, errors.Join(err, file.Close(), os.Remove(path)))
	}
	return closeLast(writers, file), nil
}

// AppendFile opens a file, of the format of the given name, to add elements to some of its
// variables. c.Vars have the new shapes, which may be larger than those in the file along
// dimensions that can grow. Sections are within the new shapes, and all new elements must be
// written. Attributes stay as they are in the file. It returns a writer for each of c.Vars, in the
// same order; the file is complete when all are closed, and damaged if that fails. The error wraps
// ErrNotWritten for a format without files that grow, ErrVariable or ErrSize for a variable that
// the file lacks or has in another shape, or is the format's.
func AppendFile(path, format string, c Content) ([]Writer, error) {
	f, err := ByName(format)
	if err != nil {
		return nil, err
	}
	grows := func(f Format) bool { return f.AppendPath != nil }
	if !grows(f) {
		return nil, notWritten(path, f, grows)
	}
	writers, err := f.AppendPath(path, c)
	return writers, withName(path, err)
}

// closeLast wraps writers such that the last one to be closed also closes the file.
func closeLast(writers []Writer, file *os.File) []Writer {
	open := len(writers)
	closing := make([]Writer, len(writers))
	for i, w := range writers {
		closing[i] = &closingWriter{w, func() error {
			if open--; open > 0 {
				return nil
			}
			return file.Close()
		}}
	}
	return closing
}

// A closingWriter calls a function after it was closed.
type closingWriter struct {
	Writer
	closed func() error
}

// Close implements Writer.
func (w *closingWriter) Close() error { return errors.Join(w.Writer.Close(), w.closed()) }
