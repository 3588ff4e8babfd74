package envi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"drx/hyper/scene"
)

// extensions has the extensions of files of numbers, in the order in which Open tries them.
var extensions = []string{"", ".img", ".dat", ".raw", ".bil", ".bip", ".bsq", ".bin", ".sli", ".slb"}

// Open opens an image by the path of its header or of its file of numbers. If scaled, values are
// divided by the header's reflectance scale factor. The caller closes the source. The error names
// the file.
func Open(path string, scaled bool) (*Source, error) {
	h, file, err := open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	var s *Source
	if err == nil {
		s, err = New(h, file, info.Size(), scaled)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	s.close, s.name = file.Close, file.Name()+": "
	return s, nil
}

// IsImage reports whether a name belongs to an ENVI header, or to a file of numbers with such a
// header next to it.
func IsImage(path string) bool {
	if strings.EqualFold(filepath.Ext(path), ".hdr") {
		return true
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	header, err := first(path+".hdr", strings.TrimSuffix(path, filepath.Ext(path))+".hdr")
	if err != nil {
		return false
	}
	f, err := os.Open(header)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, len("ENVI"))
	_, err = io.ReadFull(f, magic)
	return err == nil && string(magic) == "ENVI"
}

// A Library is the contents of a spectral library. Names may be empty.
type Library struct {
	Header  *Header
	Spectra [][]float64 // one per line of the file, one value per sample
}

// maxLibrary is the largest library that is read, in bytes of its file. The largest published ones
// have about 100 MB.
const maxLibrary = 1 << 30

// OpenLibrary reads a spectral library by the path of its header or of its file of numbers. Values
// are as stored. The error names the file.
func OpenLibrary(path string) (*Library, error) {
	h, file, err := open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		err = h.checkSize(info.Size())
	}
	if err == nil && !h.library() {
		err = fmt.Errorf("this is an image, not a spectral library: its file type is %.40q", h.FileType)
	}
	if err == nil && info.Size() > maxLibrary {
		err = fmt.Errorf("a spectral library of %d bytes: the limit is %d", info.Size(), maxLibrary)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	src := &Source{Header: h, file: file}
	l := &Library{Header: h, Spectra: make([][]float64, h.Lines)}
	for i := range l.Spectra {
		l.Spectra[i] = make([]float64, h.Samples)
		b := scene.Block{Lo: scene.Pixel{Line: i}, Hi: scene.Pixel{Line: i + 1, Sample: h.Samples}}
		if err := src.Read(context.Background(), b, l.Spectra[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
	}
	return l, nil
}

// open reads the header and opens the file of numbers that belongs to it.
func open(path string) (*Header, *os.File, error) {
	header, data := path, ""
	if !strings.EqualFold(filepath.Ext(path), ".hdr") {
		data = path
		var err error
		if header, err = first(path+".hdr", strings.TrimSuffix(path, filepath.Ext(path))+".hdr"); err != nil {
			return nil, nil, fmt.Errorf("%s: there is no header %s.hdr beside it", path, filepath.Base(path))
		}
	}
	f, err := os.Open(header)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	h, err := Parse(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", header, err)
	}
	if data == "" {
		base := header[:len(header)-len(".hdr")]
		var candidates []string
		for _, e := range extensions {
			candidates = append(candidates, base+e)
		}
		if data, err = first(candidates...); err != nil {
			return nil, nil, fmt.Errorf("%s: there is no file of numbers beside it, such as %s.img", header, filepath.Base(base))
		}
	}
	file, err := os.Open(data)
	return h, file, err
}

// first returns the first path that is a regular file.
func first(paths ...string) (string, error) {
	for _, p := range paths {
		info, err := os.Stat(p)
		if err == nil && info.Mode().IsRegular() {
			return p, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", fs.ErrNotExist
}
