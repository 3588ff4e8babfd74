package transfer

import (
	"path"
	"slices"

	"drx/dataset/meaning"
	"drx/formats"
)

// A Source is a file of another format, an array or a dataset, open to be read.
type Source struct {
	f     *importFile
	files *fileReader
}

// OpenSource opens a file, an array or a dataset. It uses the options Format, Expand and Memory. It
// returns the errors of List.
func OpenSource(name string, o ImportOptions) (*Source, error) {
	registerFormats()
	im := newImporter(ImportOptions{Format: o.Format, Expand: o.Expand, Memory: o.Memory}, "")
	if err := im.check([]string{name}); err != nil {
		return nil, err
	}
	f, err := im.files.open(name)
	if err != nil {
		return nil, err
	}
	return &Source{f, im.files}, nil
}

// Content describes the variables and the attributes. An array or a dataset is described as the
// file that an export would make of it, in which labels are variables of strings.
func (s *Source) Content() formats.Content { return s.f.content }

// Reader opens a variable.
func (s *Source) Reader(variable string) (formats.Reader, error) {
	if s.files.beside == nil && !s.f.isOurs && s.f.stdin == nil && len(s.f.content.Vars) > 1 {
		// Later variables are read by the process that has opened the file for the first one, see
		// beside.
		if beside, err := s.files.reader(s.f, variable); err == nil {
			s.files.beside = beside
		}
	}
	return s.files.reader(s.f, variable)
}

// Begin returns the low bounds of a variable: those of its array, or zeros in a file.
func (s *Source) Begin(v formats.Info) []int {
	if s.f.arrays != nil {
		if lo := s.f.arrays.begin(v.Name); lo != nil && len(lo) == len(v.Shape) {
			return lo
		}
	}
	return make([]int, len(v.Shape))
}

// Meaning returns the meaning of the elements of a variable. Bounds of a coordinate have its units.
func (s *Source) Meaning(v formats.Info) (*meaning.Meaning, error) {
	return meaningOfVar(v, parentOf(s.f, v))
}

// IsCoordinate reports whether a variable is the coordinate of its dimension.
func IsCoordinate(v formats.Info) bool { return isCoordinateVar(v) }

// Coordinate returns, as text for people, the value of a dimension's coordinate at an index,
// counted from 0; "" if there is no coordinate or it does not fit into the memory.
func (s *Source) Coordinate(v formats.Info, dim, index int) string {
	own := ownDims(v)[dim]
	for group := path.Dir(v.Name); own != ""; group = path.Dir(group) {
		i := slices.IndexFunc(s.f.content.Vars, func(c formats.Info) bool {
			return isCoordinateVar(c) && c.Refused == "" && c.Name == path.Join(group, own)
		})
		if i >= 0 {
			return s.textOf(s.f.content.Vars[i], index)
		}
		if group == "." || group == "/" {
			break
		}
	}
	return ""
}

// textOf returns an element of a variable of rank 1 as text.
func (s *Source) textOf(c formats.Info, index int) string {
	if c.Labels != nil {
		names, err := s.files.readStrings(s.f, c)
		if err != nil || index >= len(names) {
			return ""
		}
		return names[index]
	}
	m, err := s.Meaning(c)
	if err != nil {
		return ""
	}
	elements, err := s.files.readWhole(s.f, c)
	if size := c.DType.Size(); err == nil && (index+1)*size <= len(elements) {
		return m.Format(elements[index*size:][:size])
	}
	return ""
}

// Close closes the source.
func (s *Source) Close() error {
	s.f.close()
	if s.files.beside != nil {
		return s.files.beside.Close()
	}
	return nil
}
