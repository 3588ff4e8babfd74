package transfer

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"drx/formats"
	"drx/formats/pipe"
	"drx/internal/errkind"
	"drx/nd"
)

// options returns the options with which a variable of a file is opened.
func (o *fileReader) options(variable string) formats.Options {
	return formats.Options{Format: o.Format, Variable: variable, Memory: o.decoding(), Rounded: o.to != 0, Beside: o.beside, Table: o.ImportOptions.Options}
}

// An importFile is a file to be imported.
type importFile struct {
	name    string
	content formats.Content
	stamp   fileStamp
	stdin   formats.Reader // standard input, which cannot be opened twice
	isOurs  bool           // it is an array or a dataset of DRX
	arrays  arraySource    // the open arrays if isOurs; nil for a file
}

// open returns a file with the list of its contents.
func (o *fileReader) open(name string) (f *importFile, err error) {
	f = &importFile{name: name}
	if name == "-" {
		f.name = "standard input"
		if f.stdin, err = formats.Open(name, o.options("")); err != nil {
			return nil, o.explain(err)
		}
		f.content.Vars = []formats.Info{f.stdin.Info()}
		return f, o.expandAll(f)
	}
	if err := o.load(f); err != nil {
		return nil, err
	}
	if f.arrays != nil {
		f.stamp, err = f.arrays.stamp(name)
		return f, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	f.stamp = fileStamp{name, info.Size(), info.ModTime().UnixNano()}
	return f, nil
}

// load lists the contents of a file, unless they are already listed.
func (o *fileReader) load(f *importFile) (err error) {
	if f.content.Vars != nil {
		return nil
	}
	if f.isOurs = isArrays(f.name); f.isOurs {
		if err := o.ImportOptions.Options.RefuseAll(); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if err := o.openArraysOf(f); err != nil {
			return err
		}
		f.content = f.arrays.describe()
		return o.expandAll(f)
	}
	if f.content, err = formats.List(f.name, o.options("")); err != nil {
		return o.explain(err)
	}
	o.roundAll(f)
	if err = o.expandAll(f); err == nil {
		err = o.listStrings(f)
	}
	return err
}

// roundAll accepts variables that were refused only because their values would be rounded, if the
// option As asks for a type.
func (o *fileReader) roundAll(f *importFile) {
	for i, v := range f.content.Vars {
		if v.Rounded && o.converts(v, o.becomesCoordinate(v)) {
			f.content.Vars[i].Refused, f.content.Vars[i].Rounded = "", false
		}
	}
}

// unload drops the contents of a file until it is loaded again, as an import may have very many
// files.
func (f *importFile) unload() {
	if f.stdin == nil {
		f.closeArrays()
		f.content = formats.Content{}
	}
}

// listStrings adds the strings of variables to their descriptions. A list of variables lacks them,
// because a format knows the strings only after it has read the elements.
func (o *fileReader) listStrings(f *importFile) error {
	for i, v := range f.content.Vars {
		wanted := len(o.Vars) == 0 || slices.Contains(o.Vars, v.Name) || isCoordinateVar(v)
		if n, err := v.Bytes(); o.listing || v.Labels == nil || len(v.Labels) > 0 || v.Refused != "" || !wanted || err != nil || n == 0 {
			continue
		}
		r, err := o.reader(f, v.Name)
		if err != nil {
			return err
		}
		f.content.Vars[i].Labels = r.Info().Labels
		if err := r.Close(); err != nil {
			return err
		}
	}
	return nil
}

// expandAll changes the descriptions of variables to those after the option Expand.
func (o *fileReader) expandAll(f *importFile) error {
	channels, expanded := formats.Expansions[o.Expand], false
	for i, v := range f.content.Vars {
		if channels > 0 && v.HasPalette() {
			f.content.Vars[i], expanded = v.Expanded(channels), true
		}
	}
	if channels > 0 && !expanded {
		return errorf("%s: %v: no raster in it has a colour table (attribute palette), so leave it out; pictures are read as colours",
			f.name, option("expand", o.Expand))
	}
	return nil
}

// expandOne replaces a reader of indices by one of their colours, if the option Expand asks for
// that.
func (o *fileReader) expandOne(r formats.Reader) (formats.Reader, error) {
	channels := formats.Expansions[o.Expand]
	if channels == 0 || !r.Info().HasPalette() {
		return r, nil
	}
	expanded, err := formats.Expand(r, channels)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return expanded, nil
}

// An explainedError is an error that ends with advice.
type explainedError struct{ error }

// Unwrap returns the underlying error.
func (e explainedError) Unwrap() error { return e.error }

// explain adds a hint to an error of a file, unless the error has one already.
func (o *fileReader) explain(err error) error {
	var before explainedError
	if err == nil || errors.As(err, &before) {
		return err
	}
	return explainedError{o.advice(err)}
}

// advice is explain without the check for an earlier hint.
func (o *fileReader) advice(err error) error {
	switch {
	case errors.Is(err, pipe.ErrHelper): // its text already has the hint
	case errors.Is(err, formats.ErrMemory):
		return errorf("%w; a quarter of %v is for decoding", err, option("memory", byteCount(o.memory)))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w; the file is cut off or damaged: get it again", err)
	}
	return err
}

// reader opens a variable.
func (o *fileReader) reader(f *importFile, variable string) (formats.Reader, error) {
	if f.stdin != nil {
		r := f.stdin
		f.stdin = nil
		return r, nil
	}
	if f.isOurs {
		if err := o.openArraysOf(f); err != nil {
			return nil, err
		}
		r, err := f.arrays.reader(f.name, variable)
		if err != nil {
			return nil, err
		}
		return o.expandOne(r)
	}
	r, err := formats.Open(f.name, o.options(variable))
	if err == nil {
		r, err = o.expandOne(r)
	}
	return r, o.explain(err)
}

// openArraysOf opens the arrays of a file that is an array or a dataset of DRX, unless they are
// open.
func (o *fileReader) openArraysOf(f *importFile) (err error) {
	if f.arrays == nil {
		f.arrays, err = o.openArrays(f.name, o.decoding())
	}
	return err
}

// close closes standard input if it was not read, and arrays.
func (f *importFile) close() {
	if f.stdin != nil {
		_ = f.stdin.Close() // it was only read
	}
	f.closeArrays()
}

// closeArrays closes the arrays that were opened to be read.
func (f *importFile) closeArrays() {
	if f.arrays != nil {
		_ = f.arrays.Close() // they were only read
		f.arrays = nil
	}
}

// readWhole reads all of a small variable, such as a coordinate.
func (o *fileReader) readWhole(f *importFile, v formats.Info) ([]byte, error) {
	n, err := v.Bytes()
	if err == nil && n > o.memory/4 {
		err = errorf("%shas %d bytes, which must be in memory at once: %w; a quarter of %v is for it", inVariable(v), n, formats.ErrMemory, option("memory"))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	r, err := o.reader(f, v.Name)
	if err != nil {
		return nil, err
	}
	buf := make([]byte, n)
	err = r.ReadSection(nil, buf)
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	return buf, err
}

// readLabels reads those of the chosen variables that become labels, coordinates of strings, by
// name.
func (o *fileReader) readLabels(f *importFile, vars []formats.Info) (map[string][]string, error) {
	found := map[string][]string{}
	for _, v := range vars {
		if !becomesLabels(v, vars) {
			continue
		}
		var err error
		if found[v.Name], err = o.readStrings(f, v); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// becomesLabels reports whether a variable becomes the labels of its dimension in other variables:
// it must be a coordinate of strings that are all different. Other strings stay variables.
func becomesLabels(v formats.Info, vars []formats.Info) bool {
	return v.Labels != nil && isCoordinateVar(v) && len(v.Labels) == v.Shape[0] && !slices.Contains(v.Labels, "") &&
		slices.ContainsFunc(vars, func(w formats.Info) bool { return w.Name != v.Name && slices.Contains(w.Dims, v.Dims[0]) })
}

// readStrings reads a variable of strings.
func (o *fileReader) readStrings(f *importFile, v formats.Info) ([]string, error) {
	buf, err := o.readWhole(f, v)
	if err != nil {
		return nil, err
	}
	labels := make([]string, len(buf)/v.DType.Size())
	for i := range labels {
		n := int(v.DType.Float64(buf[i*v.DType.Size():]))
		if n < 0 || n >= len(v.Labels) {
			return nil, errkind.Errorf(formats.ErrType, "%s: %selement %d is string %d of %d", f.name, inVariable(v), i, n, len(v.Labels))
		}
		labels[i] = v.Labels[n]
	}
	return labels, nil
}

// endsOf reads the first and the last element of a coordinate, or of a scalar.
func (o *fileReader) endsOf(f *importFile, v formats.Info) (first, last []byte, err error) {
	r, err := o.reader(f, v.Name)
	if err != nil {
		return nil, nil, err
	}
	size := v.DType.Size()
	first, last = make([]byte, size), make([]byte, size)
	if len(v.Shape) == 0 {
		err = r.ReadSection(nil, first)
		copy(last, first)
	} else {
		n := v.Shape[0]
		err = errors.Join(r.ReadSection(nd.Section{nd.Span(0, 1)}, first), r.ReadSection(nd.Section{nd.Span(n-1, n)}, last))
	}
	return first, last, errors.Join(err, r.Close())
}
