package transfer

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"drx"
	"drx/dataset/meaning"
	"drx/formats"
	"drx/internal/wording"
	"drx/optionerr"
)

// Import imports files of other formats into dst: a new array, a new dataset if the first file has
// several variables or coordinates, or an existing one, which grows along the dimension Append.
// docs/FORMATS.md of drx describes the mapping. A file may be "-", standard input. The program
// drx-bridge reads formats that need C libraries, see UseHelper.
//
// Import commits every 256 MiB, and after each file that is appended. When ctx ends, or after an
// error that no file has caused, it returns an IncompleteError: dst is valid, and Resume continues.
// After an error of a file from which dst was to be made, dst is removed.
//
// The error wraps optionerr.ErrOption if an option is wrong, fs.ErrExist if dst exists and neither
// Append nor Resume is given, or errors of packages formats, dataset and drx.
func Import(ctx context.Context, dst string, o ImportOptions, files ...string) (ImportReport, error) {
	registerFormats()
	o.Vars = slices.Clone(o.Vars)
	for i, name := range o.Vars { // h5py and h5dump print /group/name
		o.Vars[i] = strings.TrimPrefix(name, "/")
	}
	o.Coordinate, o.Append = strings.TrimPrefix(o.Coordinate, "/"), strings.TrimPrefix(o.Append, "/")
	im := newImporter(o, dst)
	if err := im.check(files); err != nil {
		return ImportReport{}, err
	}
	return im.run(ctx, slices.Clone(files))
}

// check checks the options.
func (o *planner) check(files []string) (err error) {
	if err := o.ImportOptions.Options.Check(); err != nil {
		return err
	}
	if len(files) == 0 {
		return wrongOption("no files to import")
	}
	if o.Memory < 0 {
		return optionerr.Wrong("memory", o.Memory, "want bytes, or 0 for the default")
	}
	for _, n := range o.Chunk {
		if n < 1 {
			return optionerr.Wrong("chunk", o.Chunk, "want extents of at least 1")
		}
	}
	if o.Alone && (len(o.Vars) != 1 || o.Append != "") && !o.Resume {
		return wrongOption("import: %v is for one variable that %v names, without %v", option("alone"), option("var"), option("append"))
	}
	if o.Append == "" {
		for _, given := range []struct {
			name string
			is   bool
		}{{"low", o.Low}, {"widen", o.Widen}, {"any-order", o.AnyOrder}, {"as-stored", o.AsStored}} {
			if given.is && !o.Resume {
				return wrongOption("import: %v needs %v", option(given.name), option("append"))
			}
		}
		if o.Coordinate != "" && !o.Resume {
			return wrongOption("import: %v needs %v: it names the coordinate of the dimension that grows", option("coordinate"), option("append"))
		}
	}
	if o.Codec != "" && o.Codec != drx.AutoCodec {
		if o.Codec, err = drx.ParseCodec(o.Codec); err != nil {
			return optionerr.Wrong("codec", nil, "%w", err)
		}
	}
	if o.Expand != "" && formats.Expansions[o.Expand] == 0 {
		return optionerr.Wrong("expand", o.Expand, "want %s", wording.Or(slices.Sorted(maps.Keys(formats.Expansions))))
	}
	if err := checkFormat(o.Format); err != nil {
		return err
	}
	if o.rounding, err = meaning.RoundTo(o.Digits, o.Bits); err != nil {
		return err
	}
	o.to, err = parseType("import", o.As, o.Clip && !o.Resume)
	return err
}

// List describes the contents of a file, with the options Format, Expand and Memory of an import.
func List(file string, o ImportOptions) (formats.Content, error) {
	registerFormats()
	im := newImporter(ImportOptions{Format: o.Format, Expand: o.Expand, Memory: o.Memory}, "")
	im.files.listing = true
	if err := im.check([]string{file}); err != nil {
		return formats.Content{}, err
	}
	f, err := im.files.open(file)
	if err != nil {
		return formats.Content{}, err
	}
	f.close()
	return f.content, nil
}

// checkFormat returns an optionerr.ErrOption unless name is empty or the name of a format that can
// be read.
func checkFormat(name string) error {
	if name == "" {
		return nil
	}
	registerFormats()
	var known []string
	for _, f := range formats.Formats() {
		if f.Open != nil {
			known = append(known, f.Name)
		}
	}
	if !slices.Contains(known, name) {
		return optionerr.Wrong("format", name, "no such format%s: %s are read", wording.DidYouMean("", name, known), wording.Or(known))
	}
	return nil
}

// restoreOptions gives an import with the option Resume the options with which it began, if DST has
// them.
func (o *importer) restoreOptions() error {
	if there, err := exists(o.dst); err != nil || !there || isEmptyFolder(o.dst) {
		return err
	}
	t, err := openTarget(o.dst, o.cache())
	if err != nil {
		return err
	}
	defer t.discard()
	p, err := t.progress()
	if err != nil || p == nil || p.Options == nil {
		return err
	}
	if err := o.restore(*p.Options); err != nil {
		return optionerr.Wrong("resume", nil, "%s: the import of %s %w: give the options with which it began, or none of them", o.dst, p.describe(), err)
	}
	if o.rounding, err = meaning.RoundTo(o.Digits, o.Bits); err == nil {
		o.to, err = parseType("import", o.As, o.Clip)
	}
	return err
}

// run imports files to DST.
func (o *importer) run(ctx context.Context, names []string) (made ImportReport, err error) {
	if o.Resume {
		if err := o.restoreOptions(); err != nil {
			return made, err
		}
	}
	there, err := exists(o.dst)
	if err != nil {
		return made, err
	}
	if o.Low { // each file goes before the previous one
		slices.Reverse(names)
	}
	switch {
	case o.Append != "" && there:
		return o.appendAll(ctx, names)
	case o.Append != "":
		return o.createAndAppend(ctx, names)
	case len(names) > 1:
		return made, wrongOption("import: %d files: give %v and the dimension along which they follow each other, or import one by one", len(names), option("append"))
	case isArrays(names[0]):
		return made, wrongOption("import: %s is an array or a dataset of DRX already: copy it", names[0])
	case there && !o.Resume:
		return made, errorf("%s: %w; choose another name, grow it with %v, or continue an interrupted import with %v", o.dst, fs.ErrExist, option("append"), option("resume"))
	}
	in, err := o.files.open(names[0])
	if err != nil {
		return made, err
	}
	defer in.close()
	return o.create(ctx, in)
}
