package formats

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"drx/formats/npy"
	"drx/nd"
)

// gzipFormat is a .npy file or a table that gzip has compressed. Users must decompress other files
// first.
var gzipFormat = Format{
	Name:       "gzip",
	Text:       true,
	Extensions: []string{".gz"},
	Recognise:  func(head []byte) bool { return bytes.HasPrefix(head, []byte("\x1f\x8b")) },
	Open:       openGzip,
	List:       listGzip,
	CreatePath: createGzip,
}

// A tar archive has these bytes at this offset.
const (
	tarMagic   = "ustar"
	tarMagicAt = 257
)

func openGzip(in *Input) (Reader, error) {
	table, open, r, err := gunzip(in)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return newCSV(table, open)
	}
	return r, in.checkUnnamed()
}

func listGzip(in *Input) (Content, error) {
	table, open, r, err := gunzip(in)
	if err != nil {
		return Content{}, err
	}
	if r != nil {
		return Content{Vars: []Info{r.Info()}}, r.Close()
	}
	s, err := scanCSV(table, open)
	return Content{Vars: s.vars}, err
}

// gunzip returns a reader of a .npy file that is compressed, or for a table its input and what
// opens it.
func gunzip(in *Input) (_ *Input, _ func() (io.Reader, error), _ Reader, err error) {
	if in, err = inMemory(in); err != nil {
		return nil, nil, nil, err
	}
	open := func() (io.Reader, error) {
		z, err := gzip.NewReader(bufio.NewReaderSize(io.NewSectionReader(in.File, 0, in.Size), 1<<16))
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		return z, nil
	}
	r, err := open()
	if err != nil {
		return nil, nil, nil, err
	}
	head := make([]byte, tarMagicAt+len(tarMagic))
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, nil, nil, fmt.Errorf("gzip: %w", err)
	}
	if head = head[:n]; bytes.HasPrefix(head, []byte(npy.Magic)) {
		if err := in.Table.RefuseAll(); err != nil {
			return nil, nil, nil, err
		}
		npyReader, err := openGzippedNPY(open)
		return nil, nil, npyReader, err
	}
	if bytes.HasSuffix(head, []byte(tarMagic)) && n == tarMagicAt+len(tarMagic) {
		return nil, nil, nil, fmt.Errorf("an archive of files: %w; unpack it with tar -xzf and import the files in it", ErrNotRead)
	}
	head = head[:min(n, HeadSize)]
	inside := &Input{Path: strings.TrimSuffix(in.Path, ".gz"), Head: head}
	for _, f := range Formats() {
		if f.Recognise != nil && f.Recognise(head) {
			return nil, nil, nil, fmt.Errorf("a file of the format %s that gzip has compressed: %w; gunzip it first", f.Name, ErrNotRead)
		}
	}
	if name := knownButUnread(inside); name != "" {
		return nil, nil, nil, fmt.Errorf("%s that gzip has compressed: %w; gunzip it first", name, ErrNotRead)
	}
	return in, open, nil, nil
}

// openGzippedNPY opens a .npy file that open decompresses.
func openGzippedNPY(open func() (io.Reader, error)) (Reader, error) {
	reopen := func() (io.Reader, error) {
		from, err := open()
		if err != nil {
			return nil, err
		}
		return npy.NewReader(from)
	}
	r, err := reopen()
	if err != nil {
		return nil, err
	}
	n := r.(*npy.Reader)
	info := Info{DType: n.DType, Shape: n.Shape, Codec: CodecSpec{Name: "gzip"}}
	if n.ColMajor {
		info.Order = nd.ColMajor(len(n.Shape))
	}
	return newStream(info, r, reopen)
}
