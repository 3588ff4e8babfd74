package transfer

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drx"
	"drx/dataset"
	"drx/dataset/meaning"
	"drx/formats"
	"drx/internal/wording"
	"drx/optionerr"
)

// Export writes an array, or a dataset with all its variables, to the file dst of another format,
// with attributes, coordinates and labels as far as the format has them. dst appears when it is
// complete; it must not exist unless Append is given. The program drx-bridge writes formats that
// need C libraries, see UseHelper.
//
// The error wraps optionerr.ErrOption if an option is wrong, fs.ErrExist if dst exists,
// formats.ErrType and other errors of package formats if the format cannot hold the data, or errors
// of packages dataset and drx. After an error, or when ctx ends, dst does not exist or is
// unchanged.
func Export(ctx context.Context, src, dst string, o ExportOptions) (ExportReport, error) {
	registerFormats()
	ex := &exporter{ExportOptions: o, src: src, dst: dst, memoryLimit: newMemoryLimit(o.Memory)}
	if err := ex.check(); err != nil {
		return ExportReport{}, err
	}
	return ex.run(ctx)
}

// check checks the options, and chooses format, type and codec.
func (o *exporter) check() (err error) {
	o.Vars = slices.Clone(o.Vars) // the caller's slice stays unchanged
	for i, name := range o.Vars {
		o.Vars[i] = strings.TrimPrefix(name, "/") // as h5dump and others write names
	}
	o.Append = strings.TrimPrefix(o.Append, "/")
	if o.to, err = parseType("export", o.As, o.Clip); err != nil {
		return err
	}
	if o.rounding, err = meaning.RoundTo(o.Digits, o.Bits); err != nil {
		return err
	}
	if o.Memory < 0 {
		return optionerr.Wrong("memory", o.Memory, "want bytes, or 0 for the default")
	}
	if o.Deflate < 0 || o.Deflate > 9 {
		return optionerr.Wrong("deflate", o.Deflate, "want 0 to 9")
	}
	if err := o.chooseFormat(); err != nil {
		return err
	}
	if err := o.chooseCodec(); err != nil || o.Append == "" {
		return err
	}
	grows := func(f formats.Format) bool { return f.AppendPath != nil }
	if f, err := formats.ByName(o.Format); err != nil || !grows(f) {
		return optionerr.Wrong("append", nil, "files of format %s cannot grow: %s can", o.Format, wording.Or(formats.Names(grows)))
	}
	return nil
}

// writtenFormats returns the names of the formats that can be written.
func writtenFormats() []string { return formats.Names(formats.Format.Writes) }

// chooseFormat finds the format by the extension of DST, unless the option Format names it.
func (o *exporter) chooseFormat() error {
	known := formats.Formats()
	if o.Format != "" {
		if !slices.Contains(writtenFormats(), o.Format) {
			return optionerr.Wrong("format", o.Format, "no such format%s: %s are written", wording.DidYouMean("", o.Format, writtenFormats()), wording.Or(writtenFormats()))
		}
		return nil
	}
	ext := strings.ToLower(filepath.Ext(o.dst))
	i := slices.IndexFunc(known, func(f formats.Format) bool { return f.Writes() && slices.Contains(f.Extensions, ext) })
	if i < 0 {
		return wrongOption("export: no format that is written has the extension of %s: give one with %v: %s", o.dst, option("format"), wording.Or(writtenFormats()))
	}
	o.Format = known[i].Name
	return nil
}

// chooseCodec reads the option Codec, which must be one of the format.
func (o *exporter) chooseCodec() (err error) {
	if o.Codec == "" {
		return nil
	}
	if o.Deflate > 0 {
		return wrongOption("export: %v and %v exclude each other: %v is the same",
			option("deflate"), option("codec"), option("codec", fmt.Sprintf("gzip:%d", o.Deflate)))
	}
	f, err := formats.ByName(o.Format)
	if err == nil && (o.Codec != KeepCodec || f.Codecs == nil) {
		if o.codec, err = formats.ParseCodec(o.Codec); err == nil {
			err = f.CheckCodec(o.codec)
		}
	}
	if err != nil {
		if f.Codecs == nil {
			return wrongOption("%v %w; %v compresses files of many formats", option("codec"), err, option("deflate"))
		}
		return wrongOption("%v %w", option("codec"), err)
	}
	return nil
}

// run exports SRC.
func (o *exporter) run(ctx context.Context) (done ExportReport, err error) {
	if _, err := os.Lstat(o.dst); err == nil && o.Append == "" {
		removeLeftovers(o.dst)
		return done, errorf("%s: %w; remove it first, choose another name, or bring it up to date with %v", o.dst, fs.ErrExist, option("append"))
	}
	src, err := o.open()
	if err != nil {
		return done, err
	}
	done, err = o.write(ctx, src.vars, src.content)
	return done, cmp.Or(err, src.Close())
}

// An exportSource is an open array or dataset, described as a file.
type exportSource struct {
	vars    []exportVar
	content formats.Content // without the variables
	io.Closer
}

// open opens SRC. An array of a dataset comes with its coordinates, unless Alone is set.
func (o *exporter) open() (*exportSource, error) {
	isArray, err := drx.Exists(o.src)
	if err != nil {
		return nil, err
	}
	if info, statErr := os.Stat(o.src); !isArray && statErr == nil && (info.IsDir() || drx.IsContainer(o.src)) {
		return o.openDataset(o.src, o.Vars)
	}
	if len(o.Vars) > 0 {
		return nil, wrongOption("export: %v chooses variables of a dataset, and %s is none", option("var"), o.src)
	}
	if isArray {
		folder := filepath.Dir(o.src)
		if declared, err := drx.Exists(filepath.Join(folder, dataset.Marker)); err == nil && declared && !o.Alone {
			o.isArray = true
			return o.openDataset(folder, []string{filepath.Base(drx.BaseName(o.src))})
		}
	}
	return o.openArray()
}

// openArray opens an array that belongs to no dataset.
func (o *exporter) openArray() (*exportSource, error) {
	a, err := drx.Open(o.src, drx.Options{Cache: o.cache()})
	if err != nil {
		return nil, err
	}
	v, err := o.arrayVar(cmp.Or(o.Name, filepath.Base(a.Name())), a)
	if err != nil {
		return nil, cmp.Or(err, a.Close())
	}
	return &exportSource{vars: []exportVar{v}, Closer: a}, nil
}

// openDataset opens the named variables of a dataset with their coordinates; nil names all.
func (o *exporter) openDataset(folder string, names []string) (*exportSource, error) {
	if o.Name != "" {
		return nil, wrongOption("export: %v is for one array that is exported alone, and %s is a dataset", option("name"), folder)
	}
	d, err := dataset.Open(folder, drx.Options{Cache: o.cache()})
	if err != nil {
		return nil, err
	}
	src, err := o.describe(d, names)
	if err != nil {
		return nil, cmp.Or(err, d.Close())
	}
	return src, nil
}

// describe describes the chosen variables of a dataset.
func (o *exporter) describe(d *dataset.Dataset, names []string) (*exportSource, error) {
	chosen, err := o.chooseVars(d, names)
	if err != nil {
		return nil, err
	}
	variables := make([]*dataset.Variable, len(chosen))
	for i, c := range chosen {
		if variables[i], err = d.Variable(c.name); err != nil {
			return nil, err
		}
	}
	selections, err := o.selections(variables, names)
	if err != nil {
		return nil, err
	}
	src := &exportSource{Closer: d}
	for i, c := range chosen {
		v, err := o.datasetVar(variables[i], selections[i])
		if err != nil {
			return nil, err
		}
		v.optional = c.optional
		src.vars = append(src.vars, v)
	}
	if src.content.Attrs, err = groupAttrs(d, ""); err != nil {
		return nil, err
	}
	for _, group := range d.Groups() {
		if src.content.Groups == nil {
			src.content.Groups = map[string]map[string]any{}
		}
		if src.content.Groups[group], err = groupAttrs(d, group); err != nil {
			return nil, err
		}
	}
	return src, nil
}

func groupAttrs(d *dataset.Dataset, group string) (map[string]any, error) {
	raw, err := d.Attrs(group)
	if err != nil {
		return nil, err
	}
	return decodeAttrs(raw)
}
