package view

import (
	"slices"
	"strings"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/selection"
)

// spatialNames are names of spatial dimensions, in lower case.
var spatialNames = []string{
	"x", "y", "lat", "lon", "latitude", "longitude", "row", "col", "rows", "cols", "column", "columns", "line", "sample",
	"lines", "samples", "easting", "northing", "height", "width", "time",
}

// bandDim returns the dimension whose indices --rgb lists: the one of --bands, or the only one that
// --dims leaves, or else the only one with several indices that is not a spatial dimension by its
// name.
func (s *Scene) bandDim() (int, error) {
	if s.Options.bandsOf != "" {
		return cli.ParseDim(s.a, s.Options.bandsOf)
	}
	drawn := map[int]bool{}
	for _, name := range selection.FieldsOf(s.dims) {
		d, err := cli.ParseDim(s.a, strings.TrimSpace(name))
		if err != nil {
			return 0, err
		}
		drawn[d] = true
	}
	var left []int
	bounds := s.axes.Bounds()
	for d, name := range s.a.Dims() {
		isSpatial := slices.Contains(spatialNames, strings.ToLower(name)) || name == "" && len(drawn) == 0
		if !drawn[d] && !isSpatial && bounds[d].Len() > 1 {
			left = append(left, d)
		}
	}
	if len(left) != 1 {
		return 0, cli.Usagef("%s: --rgb %s: the dimension of the bands is not clear: name it with --bands, one of %s",
			s.a.Name(), s.Options.rgb, strings.Join(cli.DimNames(s.a), ", "))
	}
	return left[0], nil
}
