package formats

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"

	"drx/formats/npy"
	"drx/internal/errkind"
	"drx/nd"
)

// npyFormat is NumPy's .npy: one array without a name, attributes or dimension names.
var npyFormat = Format{
	Name:       "npy",
	Extensions: []string{".npy"},
	Recognise:  func(head []byte) bool { return bytes.HasPrefix(head, []byte(npy.Magic)) },
	Open:       openNPY,
	Create:     createNPY,
}

func openNPY(in *Input) (Reader, error) {
	from := in.Stream
	if in.File != nil {
		from = io.NewSectionReader(in.File, 0, in.Size)
	}
	r, err := npy.NewReader(from)
	if err != nil {
		return nil, err
	}
	if err := in.checkUnnamed(); err != nil {
		return nil, err
	}
	info := Info{DType: r.DType, Shape: r.Shape}
	if r.ColMajor {
		info.Order = nd.ColMajor(len(r.Shape))
	}
	if in.File != nil {
		return &dense{info: info, elements: r}, nil
	}
	return newStream(info, r, nil)
}

// checkUnnamed returns an error if Options.Variable is set for a format without variable names.
func (in *Input) checkUnnamed() error {
	if in.Variable == "" {
		return nil
	}
	return errkind.Errorf(ErrVariable, "variable %s: the format has a single array without a name", in.Variable)
}

// npyHeader returns the header of the .npy file for an array.
func npyHeader(info Info) (header npy.Header, err error) {
	if info.Labels != nil {
		return header, fmt.Errorf("%s: strings: %w", info.Name, ErrType)
	}
	header = npy.Header{DType: info.DType, Shape: info.Shape}
	switch {
	case info.Order == nil || slices.Equal(info.Order, nd.RowMajor.Dims(len(info.Shape))):
	case slices.Equal(info.Order, nd.ColMajor(len(info.Shape))):
		header.ColMajor = true
	default:
		err = errkind.Errorf(nd.ErrRank, "order %v: a file is row-major or column-major", info.Order)
	}
	return header, err
}

// An npyWriter writes the array of a .npy file.
type npyWriter struct {
	info     Info
	w        *npy.Writer
	seekable bool  // w can write at any offset
	pos      int64 // bytes of elements that were written, where it cannot
}

func createNPY(w io.Writer, c Content) ([]Writer, error) {
	if len(c.Vars) != 1 {
		return nil, errkind.Errorf(ErrVariable, "npy: %d variables: a file has one array", len(c.Vars))
	}
	info := c.Vars[0]
	header, err := npyHeader(info)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	out := &npyWriter{info: info}
	f, ok := w.(*os.File)
	if out.seekable = ok && f != os.Stdout && regular(f); out.seekable {
		start, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		w = io.NewOffsetWriter(f, start)
	} else {
		w = struct{ io.Writer }{w}
	}
	out.w, err = npy.NewWriter(w, header)
	return []Writer{out}, err
}

func regular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// WriteSection implements Writer.
func (w *npyWriter) WriteSection(sec nd.Section, buf []byte) error {
	sec, err := w.info.Check(sec, buf)
	if err != nil {
		return err
	}
	runs := newRuns(w.info, sec)
	if runs.empty {
		return nil
	}
	if !w.seekable {
		return w.appendSection(sec, runs, buf)
	}
	return runs.each(func(off, _ int64) error {
		p := buf[:runs.bytes]
		buf = buf[runs.bytes:]
		_, err := w.w.WriteAt(p, off)
		return err
	})
}

// appendSection writes a section to a stream. The section must begin where the previous one ended.
func (w *npyWriter) appendSection(sec nd.Section, r runs, buf []byte) error {
	if first := r.first(); first != w.pos || !r.isSingle() {
		size := int64(w.info.DType.Size())
		return errkind.Errorf(ErrOrder, "section %v begins at element %d, but %d elements of the stream were written: sections must follow each other along dimension %d, without gaps",
			sec, first/size, w.pos/size, w.info.Order.Dims(len(sec))[0])
	}
	n, err := w.w.Write(buf)
	w.pos += int64(n)
	return err
}

// Close implements Writer.
func (w *npyWriter) Close() error { return w.w.Close() }
