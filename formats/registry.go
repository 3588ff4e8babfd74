package formats

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

// A Format is a file format. Open is nil if it cannot be read, Create and CreatePath if it cannot
// be written.
type Format struct {
	Name       string   // in lower case, for Options.Format and Create
	Extensions []string // of file names, in lower case, with the dot
	// Recognise reports whether a file with these first bytes is in the format. head has HeadSize
	// bytes, or all bytes of a shorter file. If several formats recognise a file, its extension
	// decides, otherwise the order of registration.
	Recognise func(head []byte) bool
	// Prefer reports whether this format reads a file better than a format that was registered
	// earlier and recognises it, too. nil: it never does.
	Prefer func(in *Input) bool
	// Text is set by a format of tables of text, or of files that may contain one. Other formats
	// need no regard for Input.Table: Open and List refuse its options.
	Text bool
	// Folders is set by a format that stores arrays in folders.
	Folders bool
	// RecogniseFolder reports whether the folder at path is of the format. If it is nil, the format
	// is recognised by the folder's extension.
	RecogniseFolder func(path string) bool
	// Open opens the variable in.Variable, or the only one of the file if that is empty. The error
	// wraps ErrVariable if there is no such variable. Closing the Reader closes everything that Open
	// has opened, but not in.
	Open func(in *Input) (Reader, error)
	// List describes the file with all its variables. It is nil for formats with a single array per
	// file.
	List func(in *Input) (Content, error)
	// Create begins a file with the given content and returns a writer for each variable, in the
	// same order. The file is complete when all writers are closed. w is at its start. If it is a
	// regular *os.File other than standard output, Create may write at any offset.
	Create func(w io.Writer, c Content) ([]Writer, error)
	// CreatePath is like Create, for formats whose files are folders or are written by libraries
	// that open files by name. path does not exist yet. A format has one of the two.
	CreatePath func(path string, c Content) ([]Writer, error)
	// AppendPath opens a file to write more of the variables c.Vars, which it has, see AppendFile.
	// It is nil for formats whose files cannot grow.
	AppendPath func(path string, c Content) ([]Writer, error)
	// Codecs are the names that Content.Codec may have, beside raw.
	Codecs []string
	// Usual is the codec that other programs of the format use by default; zero if they do not
	// compress. Create uses the codec of its Content; callers put Usual there.
	Usual CodecSpec
	// Frames says that the format's writers are FrameWriters, and FramesInAnyOrder that they accept
	// frames of column-major elements, too.
	Frames, FramesInAnyOrder bool
}

// HeadSize is the number of bytes at the beginning of a file that Format.Recognise gets.
const HeadSize = 16

var (
	formats      []Format
	formatsMutex sync.RWMutex
)

// Register adds a format for Open and Create. It is meant for init functions and panics if the name
// is taken.
func Register(f Format) {
	formatsMutex.Lock()
	defer formatsMutex.Unlock()
	if slices.ContainsFunc(formats, func(known Format) bool { return known.Name == f.Name }) {
		panic(fmt.Sprintf("formats: format %q is registered twice", f.Name))
	}
	formats = append(formats, f)
}

// Formats returns the registered formats, in the order of registration.
func Formats() []Format {
	formatsMutex.RLock()
	defer formatsMutex.RUnlock()
	return slices.Clone(formats)
}

// Names returns the names of the formats for which use is true, in the order of Formats.
func Names(use func(f Format) bool) (names []string) {
	for _, f := range Formats() {
		if use(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Writes reports whether files of the format can be written.
func (f Format) Writes() bool { return f.Create != nil || f.CreatePath != nil }

// ByName returns the format with the given name, or with the extension of the given file name. The
// error wraps ErrFormat and lists the known formats.
func ByName(name string) (Format, error) {
	known := Formats()
	ext := strings.ToLower(filepath.Ext(name))
	for _, matches := range []func(f Format) bool{
		func(f Format) bool { return f.Name == name },
		func(f Format) bool { return slices.Contains(f.Extensions, ext) },
	} {
		if i := slices.IndexFunc(known, matches); i >= 0 {
			return known[i], nil
		}
	}
	return Format{}, fmt.Errorf("%s: %w: %s", name, ErrFormat, describeFormats(known, func(Format) bool { return true }))
}

// shownExtensions is how many extensions of a format an error lists.
const shownExtensions = 7

// describeFormats returns the names and extensions of the formats for which use is true, for
// errors.
func describeFormats(known []Format, use func(Format) bool) string {
	var names []string
	for _, f := range known {
		if !use(f) {
			continue
		}
		extensions := strings.Join(f.Extensions, " ")
		if len(f.Extensions) > shownExtensions {
			extensions = strings.Join(f.Extensions[:shownExtensions], " ") + " ..."
		}
		names = append(names, f.Name+" ("+extensions+")")
	}
	return "known are " + strings.Join(names, ", ")
}

func reads(f Format) bool { return f.Open != nil }

// detect returns the format of an input by its first bytes or, if no format recognises them, by the
// extension of its name.
func detect(in *Input) (Format, error) {
	ext := strings.ToLower(filepath.Ext(in.Path))
	var byHead, byExt []Format
	for _, f := range Formats() {
		if !reads(f) || f.Folders != in.Folder {
			continue
		}
		if slices.Contains(f.Extensions, ext) {
			byExt = append(byExt, f)
		}
		if f.Recognise != nil && f.Recognise(in.Head) || in.Folder && f.RecogniseFolder != nil && f.RecogniseFolder(in.Path) {
			byHead = append(byHead, f)
		}
	}
	if i := slices.IndexFunc(byHead, func(f Format) bool { return f.Prefer != nil && f.Prefer(in) }); i >= 0 {
		return byHead[i], nil
	}
	if len(byHead) > 0 {
		if i := slices.IndexFunc(byHead, func(f Format) bool { return slices.Contains(f.Extensions, ext) }); i > 0 {
			return byHead[i], nil
		}
		return byHead[0], nil
	}
	if name := knownButUnread(in); name != "" {
		return Format{}, fmt.Errorf("%s: %w: %s; %s", name, ErrNotRead, describeFormats(Formats(), reads), otherReaders[name])
	}
	if !in.Folder && len(in.Head) == 0 {
		return Format{}, errEmpty
	}
	if len(byExt) > 0 {
		return byExt[0], nil
	}
	if in.Folder {
		return Format{}, errors.New("is a folder; give the files in it")
	}
	return Format{}, &UnknownError{in.Head}
}

// An UnknownError is the ErrFormat of a file with the first bytes of no known format.
type UnknownError struct {
	Head []byte // the first bytes of the file
}

// Error implements error.
func (e *UnknownError) Error() string { return fmt.Sprintf("starts with %q: %v", e.Head, ErrFormat) }

// Is reports that the error is an ErrFormat.
func (*UnknownError) Is(target error) bool { return target == ErrFormat }

// errEmpty is returned for an empty file. It is an ErrFormat.
var errEmpty error = emptyError{}

type emptyError struct{}

// Error implements error.
func (emptyError) Error() string { return "the file is empty" }

// Is reports that the error is an ErrFormat.
func (emptyError) Is(target error) bool { return target == ErrFormat }

// knownMagics are the first bytes of common formats. If such a format is not registered, the error
// can name it.
var knownMagics = []struct{ name, head string }{
	{"an HDF5 file", "\x89HDF\r\n\x1a\n"}, // also NetCDF-4, and MAT 7.3 without user block
	{"a NetCDF file", "CDF\x01"},
	{"a NetCDF file", "CDF\x02"},
	{"a NetCDF file", "CDF\x05"},
	{"a FITS file", "SIMPLE  ="},
	{"a MAT file", "MATLAB 5.0 MAT"},
	{"an HDF5 file", "MATLAB 7.3 MAT"},
	{"an HDF4 file", "\x0e\x03\x13\x01"},
	{"a GRIB file", "GRIB"},
	{"a NITF file", "NITF"},
	{"a JPEG 2000 picture", "\x00\x00\x00\x0cjP  "},
	{"a JPEG 2000 picture", "\xff\x4f\xff\x51"},
	{"a GIF picture", "GIF8"},
}

// otherReaders says what reads a format of knownMagics, or of knownButUnread.
var otherReaders = map[string]string{
	"an HDF5 file":        "h5dump shows it, h5py and numpy.save convert it to .npy",
	"a NetCDF file":       "ncdump shows it, netCDF4 and numpy.save convert it to .npy",
	"a FITS file":         "astropy and numpy.save convert it to .npy",
	"a MAT file":          "scipy.io.loadmat and numpy.save convert it to .npy",
	"an HDF4 file":        "hdp shows it, h4toh5 converts it to HDF5",
	"a GRIB file":         "cfgrib and numpy.save convert it to .npy",
	"a NITF file":         "gdal_translate converts it to TIFF",
	"a JPEG 2000 picture": "convert it to PNG or TIFF",
	"a GIF picture":       "convert it to PNG",
	"a Zarr folder":       "package drx/formats/zarr reads it, once a program imports it",
}

// knownButUnread returns the name of a common format that is not registered, or "".
func knownButUnread(in *Input) string {
	if in.Folder {
		for _, name := range []string{".zarray", ".zgroup", "zarr.json"} {
			if _, err := os.Stat(filepath.Join(in.Path, name)); err == nil {
				return "a Zarr folder"
			}
		}
		return ""
	}
	for _, m := range knownMagics {
		if bytes.HasPrefix(in.Head, []byte(m.head)) {
			return m.name
		}
	}
	return ""
}
