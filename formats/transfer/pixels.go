package transfer

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/cube"
	"drx/internal/errkind"
)

// Two conventions locate the pixels of a raster by attributes. GDAL's geotransform has six numbers,
// x, dx/dcolumn, dx/drow, y, dy/dcolumn, dy/drow, for the last two dimensions. The world coordinate
// systems of FITS have, along axis n, a pixel CRPIXn whose coordinate is known. Axis 1 is the last
// dimension, and its first pixel is 1.

// movePixels adapts these attributes of an array to a selection, so that every pixel keeps its
// position. It removes attributes along dimensions whose selected indices are not evenly spaced,
// since they could not express the positions, and returns their names.
func movePixels(attrs map[string]any, sel cube.Selection) (removed []string) {
	if slices.Contains(sel.Shape(), 0) {
		return nil
	}
	if _, has := sixNumbers(attrs["geotransform"]); has && !moveGeotransform(attrs, sel) {
		delete(attrs, "geotransform")
		removed = append(removed, "geotransform")
	}
	for d, x := range sel {
		axis := strconv.Itoa(len(sel) - d)
		by, even := step(x)
		if even {
			moveAxis(attrs, axis, float64(x.At(0)), by)
			continue
		}
		for name := range attrs { // all keywords of the axis: without a step they have no meaning
			if m := skyAttr.FindStringSubmatch(name); m != nil && m[2] == axis {
				delete(attrs, name)
				removed = append(removed, name)
			}
		}
	}
	slices.Sort(removed)
	return removed
}

// moveGeotransform moves the origin of a raster to the first row and column of a selection, so that
// the centres of pixels stay where they are. It returns false, and changes nothing, if the selected
// rows or columns are not evenly spaced.
func moveGeotransform(attrs map[string]any, sel cube.Selection) bool {
	g, ok := sixNumbers(attrs["geotransform"])
	if !ok || len(sel) < 2 {
		return true
	}
	rows, columns := sel[len(sel)-2], sel[len(sel)-1]
	rowStep, rowsEven := step(rows)
	colStep, columnsEven := step(columns)
	if !rowsEven || !columnsEven {
		return false
	}
	// The centre of the first pixel stays; the pixel becomes larger on all sides.
	row, col := float64(rows.At(0))+(1-rowStep)/2, float64(columns.At(0))+(1-colStep)/2
	g[0] += col*g[1] + row*g[2]
	g[3] += col*g[4] + row*g[5]
	g[1], g[4] = g[1]*colStep, g[4]*colStep
	g[2], g[5] = g[2]*rowStep, g[5]*rowStep
	attrs["geotransform"] = g
	return true
}

// step returns the step of indices that are evenly spaced.
func step(x cube.Indices) (by float64, even bool) {
	if len(x) == 1 {
		return float64(x[0].Stride()), true
	}
	by = float64(x.At(1) - x.At(0)) // several ranges have at least two indices
	for k := 2; k < x.Len(); k++ {
		if float64(x.At(k)-x.At(k-1)) != by {
			return 0, false
		}
	}
	return by, true
}

// skyAttr matches the keywords of world coordinate systems. A file may have 27 systems, which a
// letter at the end of the keywords distinguishes.
var skyAttr = regexp.MustCompile(`^(CTYPE|CUNIT|CRVAL|CDELT|CROTA|CRPIX|CD\d+_|PC\d+_|PV\d+_)(\d+)([A-Z]?)$`)

// moveAxis adapts the keywords of an axis to a selection of every step-th pixel from pixel first
// on.
func moveAxis(attrs map[string]any, number string, first, step float64) {
	systems := map[string]bool{} // letters of the systems that have the axis
	for name := range attrs {
		if m := skyAttr.FindStringSubmatch(name); m != nil && m[2] == number && !strings.HasPrefix(name, "PV") {
			systems[m[3]] = true
		}
	}
	for letter := range systems {
		pixel, _ := asNumber(attrs["CRPIX"+number+letter]) // the default of FITS is 0
		if first != 0 || step != 1 {
			attrs["CRPIX"+number+letter] = (pixel-1-first)/step + 1
		}
		if step != 1 {
			scaleAxis(attrs, number, letter, step)
		}
	}
}

// scaleAxis multiplies the size of the pixels along an axis by step: in the column of the matrix CD
// or PC or, if there is no matrix, in CDELT.
func scaleAxis(attrs map[string]any, number, letter string, step float64) {
	matrix := ""
	for name := range attrs {
		if m := skyAttr.FindStringSubmatch(name); m != nil && m[3] == letter && (strings.HasPrefix(name, "CD") || strings.HasPrefix(name, "PC")) && strings.Contains(name, "_") {
			matrix = name[:2]
		}
	}
	if matrix == "" {
		size, known := asNumber(attrs["CDELT"+number+letter])
		if !known {
			size = 1
		}
		attrs["CDELT"+number+letter] = size * step
		return
	}
	if diagonal := matrix + number + "_" + number + letter; matrix == "PC" && attrs[diagonal] == nil {
		attrs[diagonal] = 1.0
	}
	for name, value := range attrs {
		if m := skyAttr.FindStringSubmatch(name); m != nil && m[2] == number && m[3] == letter && strings.HasPrefix(m[1], matrix) && strings.HasSuffix(m[1], "_") {
			if size, ok := asNumber(value); ok {
				attrs[name] = size * step
			}
		}
	}
}

// sixNumbers returns a copy of a list of six numbers.
func sixNumbers(value any) ([]float64, bool) {
	switch list := value.(type) {
	case []float64:
		return slices.Clone(list), len(list) == 6
	case []int64:
		var numbers []float64
		for _, n := range list {
			numbers = append(numbers, float64(n))
		}
		return numbers, len(numbers) == 6
	}
	return nil, false
}

// pixelShifts returns, by the number of a dimension, the index in an array of rank dimensions at
// which a raster begins, from the georeferences in both sets of attributes. The error wraps
// drx.ErrBounds if their pixels do not coincide.
func pixelShifts(array, raster map[string]any, rank int) (map[int]int, error) {
	g, has := sixNumbers(array["geotransform"])
	h, hasToo := sixNumbers(raster["geotransform"])
	if has && hasToo && rank > 1 {
		return rasterShifts(g, h, rank)
	}
	shifts := map[int]int{}
	for axis := 1; axis <= rank; axis++ {
		name := fmt.Sprintf("CRPIX%d", axis)
		was, known := asNumber(array[name])
		now, also := asNumber(raster[name])
		if !known || !also {
			continue
		}
		by, ok := wholeNumber(was - now)
		if !ok {
			return nil, errkind.Errorf(drx.ErrBounds, "%s is %v and that of the array is %v: want a whole number of pixels between them", name, now, was)
		}
		shifts[rank-axis] = by
	}
	if len(shifts) == 0 {
		return nil, errkind.Errorf(drx.ErrBounds, "neither coordinates nor the attributes geotransform or CRPIX1 say where the file lies; grow the array with 'drx extend' to the extents of the file")
	}
	for name, was := range array {
		if m := skyAttr.FindStringSubmatch(name); m == nil || m[1] == "CRPIX" {
			continue
		}
		if now, has := raster[name]; !has || fmt.Sprint(was) != fmt.Sprint(now) {
			return nil, errkind.Errorf(drx.ErrBounds, "%s is %v and that of the array is %v: the pixels do not lie on each other", name, now, was)
		}
	}
	return shifts, nil
}

// rasterShifts returns the row and the column at which a raster with geotransform h begins in an
// array with g.
func rasterShifts(g, h []float64, rank int) (map[int]int, error) {
	det := g[1]*g[5] - g[2]*g[4]
	x, y := h[0]-g[0], h[3]-g[3]
	col, wholeCol := wholeNumber((x*g[5] - y*g[2]) / det)
	row, wholeRow := wholeNumber((y*g[1] - x*g[4]) / det)
	same := wholeCol && wholeRow
	for _, i := range []int{1, 2, 4, 5} {
		same = same && math.Abs(g[i]-h[i]) <= 1e-9*math.Abs(g[i])
	}
	if !same {
		return nil, errkind.Errorf(drx.ErrBounds, "geotransform is %v and that of the array is %v: the pixels do not lie on each other", h, g)
	}
	return map[int]int{rank - 2: row, rank - 1: col}, nil
}

// wholeNumber returns the integer nearest to x, and whether x is within 0.001 of it.
func wholeNumber(x float64) (int, bool) {
	n := math.Round(x)
	return int(n), math.Abs(n) < 1<<40 && math.Abs(x-n) < 1e-3
}
