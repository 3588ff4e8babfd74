package transfer

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
)

// A meant converts elements during an export, so that they have the same meaning in an existing
// file as in the array.
type meant struct {
	*meaning.Conversion
	from   dtype.DType
	stored []byte // the elements of a section, used again
}

// read reads the elements of a section with the function read, as a new file would get them, and
// converts them into buf.
func (m *meant) read(sec nd.Section, buf []byte, read func(buf []byte) error) error {
	n := m.from.Size()
	for _, r := range sec {
		n *= r.Len()
	}
	m.stored = slices.Grow(m.stored[:0], n)[:n]
	if err := read(m.stored); err != nil {
		return err
	}
	converted, err := m.Apply(m.stored)
	if err != nil {
		return fmt.Errorf("section %v: %w", sec, err)
	}
	copy(buf, converted)
	return nil
}

// likeFile compares the meaning of a variable with that of the variable in the file. Elements are
// written unchanged if both are equal, and converted if that is possible; otherwise it returns an
// error.
func (o *exporter) likeFile(v *exportVar, file formats.Info, vars []exportVar, all []formats.Info) error {
	if o.AsStored || v.info.Labels != nil || file.Labels != nil || file.DType == 0 {
		return nil
	}
	if was, now := textOf(file.Attrs["crs_wkt"]), textOf(v.info.Attrs["crs_wkt"]); was != "" && now != "" && !meaning.SameCRS(was, now) {
		return errkind.Errorf(meaning.ErrRefused, "the coordinate system is %s in the file and %s in what is exported", meaning.DescribeCRS(was), meaning.DescribeCRS(now))
	}
	if len(v.info.Shape) == 0 && mapped(vars, v.info) { // a grid mapping: its value is meaningless
		return nil
	}
	var infos []formats.Info
	for _, w := range vars {
		infos = append(infos, w.info)
	}
	from, err := meaningOfVar(v.info, parentOf(&importFile{content: formats.Content{Vars: infos}}, v.info))
	if err != nil {
		return err
	}
	if file.Attrs["_FillValue"] == nil && file.Attrs["missing_value"] == nil && v.info.Fill == nil {
		file.Fill = nil // the format's default, which marks nothing
	}
	to, err := meaningOfVar(file, parentOf(&importFile{content: formats.Content{Vars: all}}, file))
	if err != nil {
		return err
	}
	c, err := meaning.Compare(from, to, meaning.Exact)
	if refused, ok := err.(*meaning.RefusedError); ok {
		refused.Target = "the file"
	}
	if err != nil {
		return err
	}
	if text := meaning.DescribeValid(from, to, "the file"); text != "" {
		o.printNote("%s: %s: %s", o.dst, wording.Printable(v.info.Name), text)
	}
	if c == nil {
		return nil
	}
	if text := c.Describe(); text != "" {
		o.printNote("%s: %s: %s", o.dst, wording.Printable(v.info.Name), text)
	}
	if v.elements != nil {
		elements, err := c.Apply(slices.Clone(v.elements))
		if err != nil {
			return err
		}
		v.elements = slices.Clone(elements)
	} else {
		v.meant = &meant{Conversion: c, from: v.info.DType}
	}
	v.info.DType, v.info.Fill = file.DType, file.Fill
	return nil
}

// mapped reports whether a variable is a grid mapping that others name.
func mapped(vars []exportVar, info formats.Info) bool {
	return slices.ContainsFunc(vars, func(w exportVar) bool {
		i := mappingOf(vars, w.info)
		return i >= 0 && vars[i].info.Name == info.Name
	})
}

// sameOrder checks that the dimensions of a variable come in the order of the file.
func sameOrder(v, file formats.Info) error {
	own, has := ownDims(v), ownDims(file)
	if len(own) == len(has) && !slices.Equal(own, has) && sameNames(own, has) {
		return errkind.Errorf(formats.ErrSize, "order is %s, that of the file is %s", strings.Join(own, ", "), strings.Join(has, ", "))
	}
	return nil
}

// continues checks that the values of a coordinate after the first n, which the file has, go on in
// the same direction, with none missing and none repeated.
func (o *exporter) continues(v *exportVar, n int) error {
	if v.info.Labels != nil || v.info.DType.IsComplex() || len(v.info.Dims) != 1 || path.Base(v.info.Dims[0]) != path.Base(o.Append) {
		return nil
	}
	m, err := meaningOfVar(v.info, nil)
	if err != nil {
		return err
	}
	elements, err := v.all()
	if err != nil {
		return err
	}
	size := v.info.DType.Size()
	known, got := values{m: m, elements: elements[:n*size]}, values{m: m, elements: elements[n*size:]}
	for i := range got.len() {
		if got.isMissing(i) {
			reason := fmt.Sprintf("value %d is missing: every index that is appended needs a value", n+i)
			return &OrderError{v.info.Name, reason, Missing}
		}
	}
	if reason, kind := known.checkFollows(got, false, 0, o.dst); reason != "" {
		return &OrderError{v.info.Name, reason, kind}
	}
	return nil
}
