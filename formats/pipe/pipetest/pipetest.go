// Package pipetest is a helper for tests: its formats need no C library, and their files say how
// the helper must fail.
//
// A file begins with the magic bytes of HDF5, or of NetCDF, and a line of JSON, a File. The
// elements of its variables follow, one variable after the other.
package pipetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"drx/dtype"
	"drx/formats"
	"drx/formats/pipe"
	"drx/internal/errkind"
	"drx/nd"
)

// EnvRole is set in the environment of a test program that is to run as the helper.
const EnvRole = "DRX_TEST_BRIDGE"

// Main makes this process the helper if EnvRole is set. A test program calls it first in TestMain.
func Main() {
	if os.Getenv(EnvRole) == "" {
		return
	}
	if os.Getenv(EnvRole) != "empty" {
		Register()
	}
	if err := pipe.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Magics are the first bytes of the files, by format.
var Magics = map[string]string{"hdf5": "\x89HDF\r\n\x1a\n", "netcdf": "CDF\x05"}

// A File describes a file.
type File struct {
	Vars   []Var                                 // the variables, in the order of their elements
	Attrs  map[string]json.RawMessage            `json:",omitempty"` // as formats.EncodeAttr returns
	Groups map[string]map[string]json.RawMessage `json:",omitempty"` // by the path of the group
	Fault  Fault                                 // the failure; none by default
}

// A Var describes a variable. Its fields are those of formats.Info.
type Var struct {
	Name      string                     // with the path of its group
	DType     string                     // the element type; empty in a variable that is refused
	Shape     []int                      // extents in elements
	Order     nd.Order                   `json:",omitempty"` // of the elements in the file
	Dims      []string                   `json:",omitempty"` // names of dimensions
	Attrs     map[string]json.RawMessage `json:",omitempty"` // as formats.EncodeAttr writes them
	Fill      []byte                     `json:",omitempty"` // one element, little-endian
	Chunk     []int                      `json:",omitempty"` // extents of a chunk, in elements
	Unlimited []bool                     `json:",omitempty"` // the dimensions that may grow
	Labels    []string                   `json:",omitzero"`  // strings, whose indices are the elements
	Refused   string                     `json:",omitempty"` // why the variable cannot be read
	Rounded   bool                       `json:",omitempty"` // refused only because of rounding
	Damaged   bool                       `json:",omitempty"` // refused for a truncated file
}

// Register adds the formats to those of package formats.
func Register() {
	for name, magic := range Magics {
		formats.Register(formats.Format{
			Name:       name,
			Extensions: []string{"." + name},
			Recognise:  func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) },
			Open:       open,
			List:       list,
			CreatePath: func(path string, c formats.Content) ([]formats.Writer, error) { return create(path, magic, c) },
		})
	}
}

// header reads the description of a file and the offset of its elements.
func header(in *formats.Input) (f File, offset int64, err error) {
	r := bufio.NewReader(io.NewSectionReader(in.File, 0, in.Size))
	line, err := r.ReadBytes('}')
	for err == nil && !json.Valid(line[bytes.IndexByte(line, '{'):]) {
		var more []byte
		more, err = r.ReadBytes('}')
		line = append(line, more...)
	}
	if err != nil {
		return f, 0, errkind.Errorf(io.ErrUnexpectedEOF, "the description is cut off")
	}
	if err := json.Unmarshal(line[bytes.IndexByte(line, '{'):], &f); err != nil {
		return f, 0, err
	}
	return f, int64(len(line)) + 1, f.Fault.happens("start", in.Path)
}

func list(in *formats.Input) (c formats.Content, err error) {
	f, _, err := header(in)
	if err == nil {
		err = f.Fault.happens("list", in.Path)
	}
	for _, v := range f.Vars {
		c.Vars = append(c.Vars, v.info())
	}
	c.Attrs = decode(f.Attrs)
	for group, attrs := range f.Groups {
		if c.Groups == nil {
			c.Groups = map[string]map[string]any{}
		}
		c.Groups[group] = decode(attrs)
	}
	return c, err
}

func open(in *formats.Input) (formats.Reader, error) {
	f, offset, err := header(in)
	if err == nil {
		err = f.Fault.happens("open", in.Path)
	}
	if err != nil {
		return nil, err
	}
	if in.Variable == "" && len(f.Vars) != 1 {
		return nil, errkind.Errorf(formats.ErrVariable, "has %d variables", len(f.Vars))
	}
	for _, v := range f.Vars {
		info := v.info()
		if v.Name == in.Variable || in.Variable == "" {
			if v.Rounded && in.Rounded {
				info.Refused, info.Rounded = "", false
			} else if v.Refused != "" {
				return nil, fmt.Errorf("variable %s: %s: %w", v.Name, v.Refused, formats.ErrType)
			}
			return &variable{file: &file{File: f, path: in.Path}, info: info, at: io.NewSectionReader(in.File, offset, in.Size)}, nil
		}
		n, _ := info.Bytes() // checked by the caller
		offset += int64(n)
	}
	return nil, fmt.Errorf("variable %s: %w", in.Variable, formats.ErrVariable)
}

// info returns the description of a variable for package formats.
func (v Var) info() formats.Info {
	t, _ := dtype.Parse(v.DType) // 0 for a variable that is refused
	return formats.Info{
		Name: v.Name, DType: t, Shape: v.Shape, Order: v.Order, Dims: v.Dims, Attrs: decode(v.Attrs), Fill: v.Fill, Chunk: v.Chunk,
		Unlimited: v.Unlimited, Labels: v.Labels, Refused: v.Refused, Rounded: v.Rounded, Damaged: v.Damaged,
	}
}

func decode(raw map[string]json.RawMessage) map[string]any {
	var out map[string]any
	for name, text := range raw {
		if out == nil {
			out = map[string]any{}
		}
		out[name], _ = formats.DecodeAttr(text)
	}
	return out
}

func encode(values map[string]any) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for name, v := range values {
		raw, err := formats.EncodeAttr(v)
		if err != nil {
			return nil, err
		}
		out[name] = raw
	}
	return out, nil
}

// A file is an open file.
type file struct {
	File
	path string
	f    *os.File // the file that is written
	open int      // open writers
}

// A variable is a reader and a writer.
type variable struct {
	*file
	info formats.Info
	at   interface {
		io.ReaderAt
	}
	to   io.WriterAt
	left int // bytes still to be written
}

// Info implements formats.Reader.
func (v *variable) Info() formats.Info { return v.info }

// ReadSection implements formats.Reader.
func (v *variable) ReadSection(sec nd.Section, buf []byte) error {
	if err := v.Fault.happens("read", v.path); err != nil {
		return err
	}
	return v.each(sec, buf, func(at int64, element []byte) error {
		_, err := v.at.ReadAt(element, at)
		return err
	})
}

// WriteSection implements formats.Writer.
func (v *variable) WriteSection(sec nd.Section, buf []byte) error {
	if err := v.Fault.happens("write", v.path); err != nil {
		return err
	}
	v.left -= len(buf)
	return v.each(sec, buf, func(at int64, element []byte) error {
		_, err := v.to.WriteAt(element, at)
		return err
	})
}

// each calls f with the offset of each row of a section and with the part of the buffer for it.
func (v *variable) each(sec nd.Section, buf []byte, f func(at int64, row []byte) error) error {
	sec, err := v.info.Check(sec, buf)
	if err != nil || len(buf) == 0 {
		return err
	}
	rank, size := len(sec), v.info.DType.Size()
	dims, strides := v.info.Order.Dims(rank), v.info.Order.Strides(v.info.Shape)
	row := size
	lo, hi := []int{}, []int{}
	for i, d := range dims {
		if i == rank-1 {
			row = sec[d].Len() * size
			break
		}
		lo, hi = append(lo, sec[d].Lo), append(hi, sec[d].Hi)
	}
	index := append([]int{}, lo...)
	for more := true; more; more = len(lo) > 0 && nd.Next(index, lo, hi) {
		at := 0
		for i, d := range dims {
			if i < len(index) {
				at += index[i] * strides[d]
			} else {
				at += sec[d].Lo * strides[d]
			}
		}
		if err := f(int64(at*size), buf[:row]); err != nil {
			return err
		}
		buf = buf[row:]
	}
	return nil
}

// Close implements formats.Reader and formats.Writer.
func (v *variable) Close() error {
	err := v.Fault.happens("close", v.path)
	if v.f == nil {
		return err
	}
	if v.left > 0 {
		err = errors.Join(err, errkind.Errorf(io.ErrUnexpectedEOF, "%d bytes are missing", v.left))
	}
	if v.file.open--; v.file.open == 0 {
		err = errors.Join(err, v.f.Close())
	}
	return err
}

// create begins a file. If the name contains a fault, as in "write-crash.hdf5", its helper fails.
func create(path, magic string, c formats.Content) (writers []formats.Writer, err error) {
	described := File{}
	base := path[strings.LastIndexByte(path, '/')+1:]
	if at, kind, ok := strings.Cut(strings.TrimLeft(strings.SplitN(base, ".hdf5", 2)[0], "."), "-"); ok && faults[kind] != nil {
		described.Fault = Fault{At: at, Kind: kind}
	}
	if err := described.Fault.happens("create", path); err != nil {
		return nil, err
	}
	for _, v := range c.Vars {
		attrs, err := encode(v.Attrs)
		if err != nil {
			return nil, err
		}
		described.Vars = append(described.Vars, Var{
			Name: v.Name, DType: v.DType.String(), Shape: v.Shape, Order: v.Order, Dims: v.Dims, Attrs: attrs, Fill: v.Fill, Chunk: v.Chunk,
			Unlimited: v.Unlimited, Labels: v.Labels,
		})
	}
	if described.Attrs, err = encode(c.Attrs); err != nil {
		return nil, err
	}
	for group, values := range c.Groups {
		if described.Groups == nil {
			described.Groups = map[string]map[string]json.RawMessage{}
		}
		if described.Groups[group], err = encode(values); err != nil {
			return nil, err
		}
	}
	fault := described.Fault
	described.Fault = Fault{} // the file that is written has no fault
	head, err := Head(magic, described)
	if err != nil {
		return nil, err
	}
	described.Fault = fault
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(head); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	shared := &file{File: described, path: path, f: f, open: len(c.Vars)}
	offset := int64(len(head))
	for _, info := range c.Vars {
		n, err := info.Bytes()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		writers = append(writers, &variable{file: shared, info: info, to: io.NewOffsetWriter(f, offset), left: n})
		offset += int64(n)
	}
	if len(writers) == 0 {
		return nil, f.Close()
	}
	return writers, nil
}

// Head returns the beginning of a file, up to its first element.
func Head(magic string, f File) ([]byte, error) {
	text, err := json.Marshal(f)
	return append(append([]byte(magic), text...), '\n'), err
}

// Make returns a file with one variable whose bytes count.
func Make(f File) []byte {
	data, err := Head(Magics["hdf5"], f)
	if err != nil {
		panic(err)
	}
	for _, v := range f.Vars {
		n, err := v.info().Bytes()
		for i := 0; err == nil && i < n; i++ {
			data = append(data, byte(i*7+i/251)&1)
		}
	}
	return data
}
