package main

import (
	"slices"
	"strconv"
	"strings"
)

// parseBands parses --rgb: three indices.
func parseBands(text string) ([]int, error) {
	fields := strings.Split(text, ",")
	rgb := make([]int, len(fields))
	var err error
	for i, field := range fields {
		if rgb[i], err = strconv.Atoi(strings.TrimSpace(field)); err != nil {
			break
		}
	}
	if err != nil || len(rgb) != 3 {
		return nil, usagef("--rgb %s: want three indices, for red, green and blue: 29,19,9", text)
	}
	return rgb, nil
}

// placeNames are the names that dimensions of a place have, in lower case.
var placeNames = []string{
	"x", "y", "lat", "lon", "latitude", "longitude", "row", "col", "rows", "cols", "column", "columns", "line", "sample",
	"lines", "samples", "easting", "northing", "height", "width", "time",
}

// bandDim returns the dimension whose indices --rgb has: that of --bands, or the only one that --dims leaves, or else the only
// one with several indices whose name is not that of a place.
func (s *scene) bandDim() (int, error) {
	if s.viewOptions.bandsOf != "" {
		return parseDim(s.a, s.viewOptions.bandsOf)
	}
	drawn := map[int]bool{}
	for _, name := range fieldsOf(s.dims) {
		d, err := parseDim(s.a, strings.TrimSpace(name))
		if err != nil {
			return 0, err
		}
		drawn[d] = true
	}
	var left []int
	bounds := s.axes.Bounds()
	for d, name := range s.a.Dims() {
		isPlace := slices.Contains(placeNames, strings.ToLower(name)) || name == "" && len(drawn) == 0
		if !drawn[d] && !isPlace && bounds[d].Len() > 1 {
			left = append(left, d)
		}
	}
	if len(left) != 1 {
		return 0, usagef("%s: --rgb %s: the dimension of the bands is not clear: name it with --bands, one of %s",
			s.a.Name(), s.viewOptions.rgb, strings.Join(dimNames(s.a), ", "))
	}
	return left[0], nil
}
