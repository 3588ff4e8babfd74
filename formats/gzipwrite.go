package formats

import (
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"

	"drx/internal/errkind"
)

// A gzipWriter writes an array in another format, whose bytes gzip compresses.
type gzipWriter struct {
	Writer
	zip    *gzip.Writer
	file   *os.File
	closed bool
}

// createGzip writes a .npy file or a table, according to the name of the file without .gz.
// Content.Deflate is the level. The sections must follow each other, as in a stream.
func createGzip(path string, c Content) ([]Writer, error) {
	inner, err := ByName(strings.TrimSuffix(strings.ToLower(path), ".gz"))
	if err != nil || inner.Name != npyFormat.Name && inner.Name != csvFormat.Name && inner.Name != tsvFormat.Name {
		return nil, errkind.Errorf(ErrNotWritten, "gzip: tables and .npy files are written: give a name that ends in .csv.gz, .tsv.gz or .npy.gz; other formats compress by themselves")
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	out := &gzipWriter{file: file}
	if out.zip, err = gzip.NewWriterLevel(file, cmp.Or(c.Deflate, gzip.DefaultCompression)); err == nil {
		var writers []Writer
		if writers, err = inner.Create(struct{ io.Writer }{out.zip}, c); err == nil {
			out.Writer = writers[0] // these formats have one array per file
			return []Writer{out}, nil
		}
	}
	return nil, errors.Join(err, file.Close(), os.Remove(path))
}

// Close implements Writer.
func (w *gzipWriter) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	return errors.Join(w.Writer.Close(), w.zip.Close(), w.file.Close())
}
