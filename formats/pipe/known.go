package pipe

import (
	"bytes"
	"fmt"
	"slices"

	"drx/formats"
	"drx/formats/raster"
	"drx/internal/errkind"
)

// A known format is one that a helper may have. Its properties are listed here, so that a program
// without a helper recognises a file and its error can say what is missing.
type known struct {
	name       string
	extensions []string
	magics     []string // first bytes of its files; nil: write-only, empty: recognised by name
	writes     bool
}

const hdf5Magic = "\x89HDF\r\n\x1a\n"

var tiffMagics = []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}

// all are the formats of the bridges, in the order in which they are tried. A NetCDF-4 file is an
// HDF5 file: the extension decides. So is one of MATLAB 7.3, behind a header of its own.
var all = []known{
	{"hdf5", []string{".h5", ".hdf5", ".hdf", ".he5", ".emd", ".nxs", ".nx5", ".hspy"}, []string{hdf5Magic}, true},
	{"netcdf", []string{".nc", ".nc4", ".cdf", ".netcdf"}, []string{"CDF\x01", "CDF\x02", "CDF\x05", hdf5Magic}, true},
	{"netcdf3", []string{".nc3"}, nil, true},
	{"cdf1", []string{".nc1"}, nil, true},
	{"cdf2", []string{".nc2"}, nil, true},
	{"cdf5", []string{".nc5"}, nil, true},
	{"fits", []string{".fits", ".fit", ".fts"}, []string{"SIMPLE  ="}, true},
	{"parquet", []string{".parquet", ".pq"}, []string{"PAR1"}, true},
	{"mat", []string{".mat"}, []string{"MATLAB 5.0 MAT", "MATLAB 7.3 MAT"}, true},
	{"nitf", []string{".ntf", ".nitf", ".nsf"}, []string{"NITF", "NSIF"}, false},
	{"rpf", []string{".rpf"}, []string{}, false}, // frames such as 0000M033.GN3 begin as NITF files do
	{"grib", []string{".grb", ".grib", ".grb2", ".grib2", ".grib1"}, []string{"GRIB"}, false},
	{"jp2", []string{".jp2", ".j2k", ".j2c", ".jpc", ".jpx"}, []string{"\x00\x00\x00\x0cjP  ", "\xff\x4f\xff\x51"}, false},
	{
		"gdal",
		[]string{
			".tif", ".tiff", ".jpg", ".jpeg", ".gif", ".img", ".hdr", ".dat", ".bil", ".bip", ".bsq", ".dem", ".hgt", ".asc", ".dt0", ".dt1", ".dt2",
		},
		append([]string{"\xff\xd8\xff", "GIF8", "EHFA_HEADER_TAG", "UHL1"}, tiffMagics...),
		false,
	},
	{"geotiff", []string{".tif", ".tiff", ".gtiff"}, tiffMagics, true}, // see preferGeoTIFF
	{"envi", []string{".img", ".envi", ".bsq"}, []string{}, true},      // gdal reads it, by extension
}

// usual are the codecs that other programs use for some formats, see formats.Format.Usual.
var usual = map[string]formats.CodecSpec{
	"hdf5": {Name: "gzip", Level: 4}, "netcdf": {Name: "gzip", Level: 4}, "geotiff": {Name: "gzip", Level: 6},
}

// framed are the names of formats whose compressed chunks may be those of arrays, and compressions
// those of their codecs.
var (
	framed       = []string{"hdf5", "netcdf"}
	compressions = []string{"gzip", "zstd", "lz4", "blosc"}
)

// growing are the names of formats whose files can grow.
var growing = []string{"hdf5", "netcdf", "netcdf3", "cdf1", "cdf2", "cdf5"}

// Register adds the formats of the helper to the registry of package formats, except for those that
// are linked into the program. No helper is started before a file is opened or created.
func Register() {
	for _, k := range all {
		if !slices.ContainsFunc(formats.Formats(), func(f formats.Format) bool { return f.Name == k.name }) {
			formats.Register(k.format())
		}
	}
}

// Knows reports whether a format of this name is one of a helper.
func Knows(name string) bool {
	return slices.ContainsFunc(all, func(k known) bool { return k.name == name })
}

// format returns the format that starts a helper.
func (k known) format() formats.Format {
	f := formats.Format{Name: k.name, Extensions: k.extensions, Usual: usual[k.name]}
	if k.magics != nil {
		f.Recognise = func(head []byte) bool {
			return slices.ContainsFunc(k.magics, func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) })
		}
		f.Open = func(in *formats.Input) (formats.Reader, error) { return open(k.name, in) }
		f.List = func(in *formats.Input) (formats.Content, error) { return list(k.name, in) }
	}
	if slices.Contains(framed, k.name) {
		f.Codecs, f.Frames = compressions, true
	}
	if k.name == "geotiff" {
		f.Prefer = preferGeoTIFF
	}
	if k.writes {
		f.CreatePath = func(path string, c formats.Content) ([]formats.Writer, error) {
			return create(opCreate, k.name, path, c)
		}
	}
	if slices.Contains(growing, k.name) {
		f.AppendPath = func(path string, c formats.Content) ([]formats.Writer, error) {
			return create(opAppend, k.name, path, c)
		}
	}
	return f
}

// preferGeoTIFF reports whether the helper should read a TIFF file: if the reader of pictures would
// lose its georeference or missing values, or cannot read it, as with floats. It is false without a
// helper.
func preferGeoTIFF(in *formats.Input) bool {
	if in.File == nil || !raster.IsGeoTIFF(in.File, in.Size) && !raster.IsOtherTIFF(in.File, in.Size, in.Memory) {
		return false
	}
	_, err := find()
	return err == nil
}

// open opens a variable in a helper of its own, or in the helper of in.Beside.
func open(format string, in *formats.Input) (formats.Reader, error) {
	p, a, err := ask(request{Op: opOpen, Format: format}, in)
	if err != nil {
		return nil, err
	}
	c, err := a.Content.decode()
	if err == nil && len(c.Vars) != 1 {
		err = fmt.Errorf("%w: %d variables", errProtocol, len(c.Vars))
	}
	if err != nil {
		return nil, p.refuse(err)
	}
	return &reader{p: p, id: a.ID, info: c.Vars[0]}, nil
}

// list describes a file.
func list(format string, in *formats.Input) (formats.Content, error) {
	p, a, err := ask(request{Op: opList, Format: format}, in)
	if err != nil {
		return formats.Content{}, err
	}
	c, err := a.Content.decode()
	if err != nil {
		return formats.Content{}, p.refuse(err)
	}
	return c, p.release(a.Spent)
}

// ask sends a request about a file to a new helper or to that of in.Beside. After an error the
// helper ends, unless other variables are open in it.
func ask(r request, in *formats.Input) (*process, answer, error) {
	if in.Path == "-" || in.File == nil && !in.Folder {
		return nil, answer{}, errkind.Errorf(formats.ErrNotRead, "format %s is read from files only, not from standard input or a pipe: write it to a file first", r.Format)
	}
	p, err := helperBeside(r.Format, in)
	if err != nil {
		return nil, answer{}, err
	}
	r.Path, r.Variable, r.Memory, r.Rounded = in.Path, in.Variable, in.Memory, in.Rounded
	a, err := p.call(r, 0, nil, nil)
	if err != nil {
		_ = p.release(true) // the first error is what the caller needs
	}
	return p, a, err
}

// helperBeside returns the helper of in.Beside, if that is open and has the same format, or else a
// new one. The caller releases it.
func helperBeside(format string, in *formats.Input) (*process, error) {
	if r, ok := in.Beside.(*reader); ok && !r.closed && slices.Contains(r.p.formats, format) && r.p.share() {
		return r.p, nil
	}
	return start(format, in.Memory, in.Size)
}

// refuse ends a helper that has sent an impossible answer, and returns the error.
func (p *process) refuse(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fail(fmt.Errorf("%w: %w", errProtocol, err), nil)
}
