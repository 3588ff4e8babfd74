package transfer

import (
	"errors"
	"fmt"

	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// Open opens a variable of a file as formats.Open does, an array of DRX, or a variable of a
// dataset. o.Variable chooses one of several.
func Open(name string, o formats.Options) (formats.Reader, error) {
	registerFormats()
	if !isArrays(name) {
		return formats.Open(name, o)
	}
	if err := o.Table.RefuseAll(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	src, err := openExportSource(name, o.Memory)
	if err != nil {
		return nil, err
	}
	v, err := src.variable(name, o.Variable)
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return &arrayReader{*v, src}, nil
}

// openArrays opens an array or a dataset to be read as a file, with as much memory, in bytes, as
// decoding a file may take.
func openArrays(name string, memory int64) (arraySource, error) {
	src, err := openExportSource(name, memory)
	if err != nil {
		return nil, err
	}
	return src, nil
}

func openExportSource(name string, memory int64) (*exportSource, error) {
	o := &exporter{src: name, memoryLimit: newMemoryLimit(4 * memory)}
	src, err := o.open()
	if err != nil {
		return nil, err
	}
	src.vars = append(src.vars, labelVars(src.vars)...)
	for _, v := range src.vars {
		src.content.Vars = append(src.content.Vars, v.info)
	}
	return src, nil
}

// describe implements arraySource.
func (s *exportSource) describe() formats.Content { return s.content }

// reader implements arraySource.
func (s *exportSource) reader(name, variable string) (formats.Reader, error) {
	v, err := s.variable(name, variable)
	if err != nil {
		return nil, err
	}
	return &arrayReader{v: *v}, nil
}

// variable returns a variable, or for "" the only one that is no coordinate.
func (s *exportSource) variable(name, variable string) (*exportVar, error) {
	var found []*exportVar
	for i, v := range s.vars {
		if v.info.Name == variable || variable == "" && !v.optional {
			found = append(found, &s.vars[i])
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case variable == "":
		return nil, errkind.Errorf(formats.ErrVariable, "%s: has several variables: %s", name, listVars(s.content.Vars))
	}
	return nil, errkind.Errorf(formats.ErrVariable, "%s: no variable %q: there are %s", name, variable, listVars(s.content.Vars))
}

// labels implements arraySource.
func (s *exportSource) labels(variable string, dim int) []string {
	v, err := s.variable("", variable)
	if err != nil || v.cube == nil || dim >= len(v.sel) {
		return nil
	}
	return selectedLabels(v.cube, dim, v.sel[dim])
}

// levels implements arraySource.
func (s *exportSource) levels(variable string, dim int) (map[string]map[string]string, error) {
	v, err := s.variable("", variable)
	if err != nil || v.cube == nil || dim >= len(v.sel) {
		return nil, err
	}
	all := map[string]map[string]string{}
	for _, name := range v.cube.Levels(dim) {
		if all[name], err = v.cube.Level(dim, name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// begin implements arraySource.
func (s *exportSource) begin(variable string) (lo []int) {
	v, err := s.variable("", variable)
	if err != nil || v.cube == nil {
		return nil
	}
	for _, x := range v.sel {
		first := 0
		if x.Len() > 0 {
			first = x.At(0)
		}
		lo = append(lo, first)
	}
	return lo
}

// stamp implements arraySource. In place of a time of modification it has the length of the arrays'
// histories, which grows with every change of shape or attributes.
func (s *exportSource) stamp(name string) (fileStamp, error) {
	stamp := fileStamp{Name: name}
	for _, v := range s.vars {
		if n, err := v.info.Bytes(); err == nil {
			stamp.Bytes += int64(n)
		}
		if v.cube == nil {
			continue
		}
		history, err := v.cube.Array().History()
		if err != nil {
			return stamp, err
		}
		stamp.Modified += int64(len(history))
	}
	return stamp, nil
}

// origins implements arraySource.
func (s *exportSource) origins() (names []string) {
	for _, v := range s.vars {
		if v.cube != nil {
			names = append(names, v.cube.Array().Name())
		}
	}
	return names
}

// An arrayReader reads a variable of an exportSource.
type arrayReader struct {
	v   exportVar
	src *exportSource // closed by Close; nil if somebody else closes it
}

// Info implements formats.Reader.
func (r *arrayReader) Info() formats.Info { return r.v.info }

// ReadSection implements formats.Reader.
func (r *arrayReader) ReadSection(sec nd.Section, buf []byte) error {
	sec, err := r.v.info.Check(sec, buf)
	if err != nil {
		return err
	}
	if r.v.elements == nil {
		return (&selectionReader{r.v}).ReadSection(sec, buf)
	}
	size := r.v.info.DType.Size() // elements are set for labels only, which have rank 1
	copy(buf, r.v.elements[sec[0].Lo*size:sec[0].Hi*size])
	return nil
}

// Close implements formats.Reader.
func (r *arrayReader) Close() error {
	if r.src == nil {
		return nil
	}
	return r.src.Close()
}
