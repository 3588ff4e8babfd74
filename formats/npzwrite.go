package formats

import (
	"archive/zip"
	"compress/flate"
	"fmt"
	"io"

	"drx/formats/npy"
	"drx/internal/errkind"
)

// An npzFile is a .npz file that is written. Its members follow each other in the order of Content.
type npzFile struct {
	zip     *zip.Writer
	writers []*npzWriter
	next    int // the writer whose member can be written
	method  uint16
}

// An npzWriter writes one member of a .npz file.
type npzWriter struct {
	*inOrder
	file   *npzFile
	number int
	name   string
	header npy.Header
	member *npy.Writer // nil before its first byte
	closed bool
}

func createNPZ(w io.Writer, c Content) ([]Writer, error) {
	file := &npzFile{method: zip.Store}
	if c.Deflate > 0 {
		file.method = zip.Deflate
	}
	names := map[string]bool{}
	writers := make([]Writer, len(c.Vars))
	for i, info := range c.Vars {
		header, err := npyHeader(info)
		if err != nil {
			return nil, fmt.Errorf("npz: %w", err)
		}
		name := info.Name
		if name == "" {
			name = fmt.Sprintf("arr_%d", i) // the name that numpy.savez gives
		}
		if names[name] {
			return nil, errkind.Errorf(ErrVariable, "npz: two variables named %q", name)
		}
		names[name] = true
		member := &npzWriter{file: file, number: i, name: name, header: header}
		if member.inOrder, err = newInOrder("npz: "+name, info, w, member.emit); err != nil {
			return nil, err
		}
		member.ready = func() bool { return file.next == member.number }
		file.writers, writers[i] = append(file.writers, member), member
	}
	file.zip = zip.NewWriter(struct{ io.Writer }{w})
	file.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, c.Deflate)
	})
	if len(writers) == 0 {
		return nil, file.zip.Close()
	}
	return writers, nil
}

// emit appends elements to the member, which it begins if necessary.
func (w *npzWriter) emit(p []byte) error {
	if w.member == nil {
		member, err := w.file.zip.CreateHeader(&zip.FileHeader{Name: w.name + npzSuffix, Method: w.file.method})
		if err != nil {
			return err
		}
		if w.member, err = npy.NewWriter(member, w.header); err != nil {
			return err
		}
	}
	_, err := w.member.Write(p)
	return err
}

// Close implements Writer. Members follow each other in the file, so it also finishes the members
// that were waiting for this one, and after the last member it writes the directory.
func (w *npzWriter) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	err := w.missing()
	for f := w.file; f.next < len(f.writers) && f.writers[f.next].closed; f.next++ {
		member := f.writers[f.next]
		finished := member.emit(nil) // an array without elements has a member too
		if finished == nil {
			finished = member.finish()
		}
		if finished == nil && f.next == len(f.writers)-1 {
			finished = f.zip.Close()
		}
		if err == nil {
			err = finished
		}
	}
	return err
}
