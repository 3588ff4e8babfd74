package convert

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A Format is a kind of file. Open is nil if it is not read, Create if it is not written.
type Format struct {
	Name       string   // in lower case; Options.Format and Create take it
	Extensions []string // of file names, in lower case, with the dot
	// Recognise tells by the first bytes of a file, HeadSize of them or as many as there are. Where several
	// formats recognise a file, the one with its extension is taken, or else the first.
	Recognise func(head []byte) bool
	// Folders is set by a format that stores arrays in folders. Their extension tells the format.
	Folders bool
	// Open opens the variable in.Variable, or the only one of the file if that is empty. The error wraps
	// ErrVariable if there is no such variable. Closing the Reader closes what Open opened, but not in.
	Open func(in *Input) (Reader, error)
	// List describes all variables. It is nil in formats that have files of one array.
	List func(in *Input) ([]Info, error)
	// Create begins a file of variables and returns the writer of each, in their order. The file is
	// complete when all are closed. w is at its start; if it is a regular *os.File other than
	// standard output, bytes may be written to any place of it, and it may be opened by its name.
	Create func(w io.Writer, vars []Info) ([]Writer, error)
}

// HeadSize is the number of bytes at the beginning of a file that Format.Recognise gets.
const HeadSize = 16

var (
	formats      []Format
	formatsMutex sync.RWMutex
)

// Register adds a format, so that Open and Create know it. It is meant for init functions and panics
// if the name is taken.
func Register(f Format) {
	formatsMutex.Lock()
	defer formatsMutex.Unlock()
	if slices.ContainsFunc(formats, func(known Format) bool { return known.Name == f.Name }) {
		panic(fmt.Sprintf("convert: format %q is registered twice", f.Name))
	}
	formats = append(formats, f)
}

func init() {
	Register(npyFormat)
	Register(pictureFormat)
}

// Formats returns the formats that are registered, in the order of their registration.
func Formats() []Format {
	formatsMutex.RLock()
	defer formatsMutex.RUnlock()
	return slices.Clone(formats)
}

// ByName returns the format of a name, or of the extension that a file name has. The error wraps ErrFormat
// and says which there are.
func ByName(name string) (Format, error) {
	known := Formats()
	ext := strings.ToLower(filepath.Ext(name))
	for _, is := range []func(f Format) bool{
		func(f Format) bool { return f.Name == name },
		func(f Format) bool { return slices.Contains(f.Extensions, ext) },
	} {
		if i := slices.IndexFunc(known, is); i >= 0 {
			return known[i], nil
		}
	}
	return Format{}, fmt.Errorf("%s: %w: %s", name, ErrFormat, list(known, func(Format) bool { return true }))
}

// list names the formats that are of use for something.
func list(known []Format, of func(Format) bool) string {
	var names []string
	for _, f := range known {
		if of(f) {
			names = append(names, f.Name+" ("+strings.Join(f.Extensions, " ")+")")
		}
	}
	return "known are " + strings.Join(names, ", ")
}

func reads(f Format) bool  { return f.Open != nil }
func writes(f Format) bool { return f.Create != nil }

// find returns the format of an input by its first bytes, or else by the extension of its name.
func find(in *Input) (Format, error) {
	ext := strings.ToLower(filepath.Ext(in.Path))
	var byHead, byExt []Format
	for _, f := range Formats() {
		if !reads(f) || f.Folders != in.Folder {
			continue
		}
		if slices.Contains(f.Extensions, ext) {
			byExt = append(byExt, f)
		}
		if f.Recognise != nil && f.Recognise(in.Head) {
			byHead = append(byHead, f)
		}
	}
	if len(byHead) > 0 {
		if i := slices.IndexFunc(byHead, func(f Format) bool { return slices.Contains(f.Extensions, ext) }); i > 0 {
			return byHead[i], nil
		}
		return byHead[0], nil
	}
	if name := unread(in); name != "" {
		return Format{}, fmt.Errorf("%s: %w: %s", name, ErrNotRead, list(Formats(), reads))
	}
	if len(byExt) > 0 {
		return byExt[0], nil
	}
	if in.Folder {
		return Format{}, errors.New("is a folder")
	}
	return Format{}, fmt.Errorf("starts with %q: %w: %s", in.Head, ErrFormat, list(Formats(), reads))
}

// magics are the first bytes of common formats that may not be registered.
var magics = []struct{ name, head string }{
	{"an HDF5 file", "\x89HDF\r\n\x1a\n"}, // NetCDF-4 and MAT 7.3 without user block, too
	{"a NetCDF file", "CDF\x01"},
	{"a NetCDF file", "CDF\x02"},
	{"a NetCDF file", "CDF\x05"},
	{"a FITS file", "SIMPLE  ="},
	{"a MAT file", "MATLAB 5.0 MAT"},
	{"an HDF5 file", "MATLAB 7.3 MAT"},
	{"an HDF4 file", "\x0e\x03\x13\x01"},
	{"a GRIB file", "GRIB"},
	{"a NITF file", "NITF"},
	{"a JPEG picture", "\xff\xd8\xff"},
	{"a JPEG 2000 picture", "\x00\x00\x00\x0cjP  "},
	{"a JPEG 2000 picture", "\xff\x4f\xff\x51"},
	{"a GIF picture", "GIF8"},
	{"a ZIP or .npz file", "PK\x03\x04"},
	{"a gzip file", "\x1f\x8b"},
}

// unread names the format of an input that no registered format has recognised, or returns "".
func unread(in *Input) string {
	if in.Folder {
		for _, name := range []string{".zarray", ".zgroup", "zarr.json"} {
			if _, err := os.Stat(filepath.Join(in.Path, name)); err == nil {
				return "a Zarr folder"
			}
		}
		return ""
	}
	for _, m := range magics {
		if bytes.HasPrefix(in.Head, []byte(m.head)) {
			return m.name
		}
	}
	return ""
}
