package view

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/clitest"
	"drx/cmd/drx/internal/display"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/scaled"
	"drx/dataset"
	"drx/dtype"
	"drx/nd"
)

// viewed runs view with a name as its output, and returns the file that it writes there, and its
// summary.
func viewed(t *testing.T, name, extension string, flags ...string) (file []byte, summary string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out"+extension)
	code, summary, complaint := drxRun(t, append([]string{"view", name, "-o", out}, flags...)...)
	if code != 0 {
		t.Fatalf("%v: exit %d: %s", flags, code, complaint)
	}
	file, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return file, summary
}

// pixels decodes a PNG.
func pixels(t *testing.T, file []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// makeArray creates an array, which the test closes.
func makeArray(t *testing.T, spec drx.Spec) *drx.Array {
	t.Helper()
	a, err := drx.Create(filepath.Join(t.TempDir(), "A"), spec)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// closed closes an array, so that a command can open it, and returns its name.
func closed(t *testing.T, a *drx.Array) string {
	t.Helper()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return a.Name()
}

// sameColors compares a picture with computed colours.
func sameColors(t *testing.T, what string, img image.Image, rows, cols int, want func(y, x int) color.RGBA) {
	t.Helper()
	if img.Bounds().Dx()%cols != 0 || img.Bounds().Dy()%rows != 0 {
		t.Fatalf("%s: %v pixels of %d x %d elements", what, img.Bounds(), rows, cols)
	}
	zoomX, zoomY := img.Bounds().Dx()/cols, img.Bounds().Dy()/rows
	for y := range rows {
		for x := range cols {
			if got := color.RGBAModel.Convert(img.At(x*zoomX+zoomX/2, y*zoomY+zoomY/2)); got != want(y, x) {
				t.Fatalf("%s: element %d, %d is %v, want %v", what, y, x, got, want(y, x))
			}
		}
	}
}

// The pixels of a composite must follow from the percentiles 2 and 98 of each band, and for bytes
// from the values themselves.
func TestCompositePixels(t *testing.T) {
	const bands, rows, cols = 7, 20, 30
	values := make([]float64, bands*rows*cols)
	for i := range values {
		values[i] = math.Sin(float64(i)*0.37)*float64(1+i%bands) + float64(i/(rows*cols))
	}
	values[2*rows*cols+45] = math.NaN()
	a := makeArray(t, drx.Spec{DType: dtype.Float64, Shape: []int{bands, rows, cols}, Dims: []string{"band", "y", "x"}})
	if err := drx.Write(a, nil, values); err != nil {
		t.Fatal(err)
	}
	file, _ := viewed(t, closed(t, a), ".png", "--rgb", "5,2,0", "--plain")
	sameColors(t, "floats", pixels(t, file), rows, cols, func(y, x int) color.RGBA {
		var rgb [3]uint8
		for k, band := range []int{5, 2, 0} {
			plane := values[band*rows*cols:][:rows*cols]
			sorted := slices.DeleteFunc(slices.Sorted(slices.Values(plane)), math.IsNaN)
			lo := sorted[int(math.Round(0.02*float64(len(sorted)-1)))]
			hi := sorted[int(math.Round(0.98*float64(len(sorted)-1)))]
			v := plane[y*cols+x]
			if math.IsNaN(v) {
				return color.RGBA{255, 255, 255, 255}
			}
			rgb[k] = uint8(math.Round(255 * min(max((v-lo)/(hi-lo), 0), 1)))
		}
		return color.RGBA{rgb[0], rgb[1], rgb[2], 255}
	})

	b := makeArray(t, drx.Spec{DType: dtype.Uint8, Shape: []int{rows, cols, 3}})
	bytes := make([]uint8, rows*cols*3)
	for i := range bytes {
		bytes[i] = uint8(i * 7)
	}
	if err := drx.Write(b, nil, bytes); err != nil {
		t.Fatal(err)
	}
	name := closed(t, b)
	file, _ = viewed(t, name, ".png", "--rgb", "0,1,2", "--bands", "2", "--plain")
	sameColors(t, "bytes", pixels(t, file), rows, cols, func(y, x int) color.RGBA {
		p := bytes[(y*cols+x)*3:]
		return color.RGBA{p[0], p[1], p[2], 255}
	})
	if svg, _ := viewed(t, name, ".svg", "--rgb", "0,1,2", "--bands", "2"); !strings.Contains(string(svg), ">dimension 2 = 1: 0 to 255<") {
		t.Error("the key does not name the bands")
	}
}

// Elements of a palette must have its colours. A reduced picture must have the means of colours,
// not the colours of means.
func TestPalettePixels(t *testing.T) {
	table := [][]int{{10, 20, 30}, {200, 100, 0, 255}, {1, 2, 3, 0}, {90, 91, 92}}
	a := makeArray(t, drx.Spec{DType: dtype.Uint8, Shape: []int{4, 6}, FillValue: 3, Attrs: map[string]any{"palette": table}})
	data := make([]uint8, 24)
	for i := range data {
		data[i] = uint8(i % 5)
	}
	if err := drx.Write(a, nil, data); err != nil {
		t.Fatal(err)
	}
	name := closed(t, a)
	white := color.RGBA{255, 255, 255, 255}
	colors := []color.RGBA{{10, 20, 30, 255}, {200, 100, 0, 255}, white, white, white}
	file, summary := viewed(t, name, ".png", "--plain")
	sameColors(t, "palette", pixels(t, file), 4, 6, func(y, x int) color.RGBA { return colors[data[y*6+x]] })
	if !strings.Contains(summary, "min 0, max 1, missing 14 of 24; in the colours of its palette") {
		t.Error(summary)
	}
	err := arrays.With(name, false, func(a *drx.Array) error {
		part, err := readSlice(t.Context(), cubeOf(t, a), mustScene(t, a).Sel, display.Plane{Rows: 0, Cols: 1}, scaled.MeaningOf(a, false), 1, progress.None)
		if err != nil {
			return err
		}
		if n := 10.0; part.colors[0][0] != (5*10+5*200)/n || part.colors[2][0] != 5*30/n {
			t.Errorf("mean colours %v", part.colors)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// mustScene returns the scene of a picture with axes.
func mustScene(t *testing.T, a *drx.Array) *Scene {
	t.Helper()
	s, err := NewScene(Options{Out: "a.png", Colors: "viridis", Lo: math.NaN(), Hi: math.NaN()}, a, -1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Sections without values, of one element, of equal values and of huge extents must be drawn, as
// pictures and as lines, in bounded size.
func TestFiguresOfStrangeSections(t *testing.T) {
	long := strings.Repeat("n", 40)
	for name, c := range map[string]struct {
		spec  drx.Spec
		value any
		flags []string
		want  string
	}{
		"nothing written": {drx.Spec{DType: dtype.Float32, Shape: []int{5, 6}, FillValue: "NaN"}, nil, nil, ">missing<"},
		"no values":       {drx.Spec{DType: dtype.Float32, Shape: []int{9}, FillValue: "NaN"}, nil, nil, ">no values<"},
		"one element":     {drx.Spec{DType: dtype.Int8, Shape: []int{1, 1, 1}}, 7, nil, ">7<"},
		"a point":         {drx.Spec{DType: dtype.Int8, Shape: []int{1}}, 7, nil, "<path"},
		"equal values":    {drx.Spec{DType: dtype.Int64, Shape: []int{4, 5}}, -12, nil, ">-12<"},
		"infinity":        {drx.Spec{DType: dtype.Float64, Shape: []int{4, 5}}, "Inf", nil, ">1.0<"},
		"a column":        {drx.Spec{DType: dtype.Int8, Shape: []int{30, 1}, Dims: []string{"depth", "x"}}, 1, nil, ">depth<"},
		"a strip":         {drx.Spec{DType: dtype.Int8, Shape: []int{30, 1}, Dims: []string{"depth", "x"}}, 1, []string{"--dims", "depth,x"}, "<image"},
		"huge":            {drx.Spec{DType: dtype.Uint8, Shape: []int{1 << 40, 1 << 22}, ChunkShape: []int{1 << 12, 1 << 12}}, nil, []string{"--section", "::4294967296,::65536"}, ">1e12<"},
		"a long line":     {drx.Spec{DType: dtype.Uint8, Shape: []int{1 << 40}, ChunkShape: []int{1 << 22}}, nil, []string{"--section", "::1073741824"}, ">1e12<"},
		"reduced":         {drx.Spec{DType: dtype.Uint8, Shape: []int{2500, 1300}}, nil, nil, ">A pixel is the mean of 3 x 3 elements.<"},
		"names":           {drx.Spec{DType: dtype.Int8, Shape: []int{3, 4}, Dims: []string{long, "Größe α"}}, 1, nil, ">Größe α<"},
		"numbers":         {drx.Spec{DType: dtype.Complex64, Shape: []int{3, 4}}, "3+4i", nil, ">modulus <"},
		"a mask":          {drx.Spec{DType: dtype.Bool, Shape: []int{3, 4}}, true, nil, ">false<"},
	} {
		t.Run(name, func(t *testing.T) {
			a := makeArray(t, c.spec)
			if c.value != nil {
				b, err := a.DType().Encode(fmt.Sprint(c.value))
				if err != nil {
					t.Fatal(err)
				}
				if err := a.FillBytes(nil, b); err != nil {
					t.Fatal(err)
				}
			}
			array := closed(t, a)
			svg, _ := viewed(t, array, ".svg", c.flags...)
			if !strings.Contains(string(svg), c.want) || strings.Contains(string(svg), "NaN") {
				t.Errorf("no %s in\n%.3000s", c.want, svg)
			}
			file, _ := viewed(t, array, ".png", c.flags...)
			if size := pixels(t, file).Bounds().Size(); min(size.X, size.Y) < 150 || max(size.X, size.Y) > display.FigureSide+400 {
				t.Errorf("%v pixels", size)
			}
		})
	}
}

// newGrid makes a dataset of a variable with coordinates and returns the variable's name.
func newGrid(t *testing.T, lat, lon []float64, data []float32) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "grid")
	d, err := dataset.Create(folder, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, units string
		values      []float64
	}{{"lat", "degrees_north", lat}, {"lon", "degrees_east", lon}} {
		v, err := d.CreateVariable(c.name, drx.Spec{
			DType: dtype.Float64, Shape: []int{len(c.values)}, Dims: []string{c.name}, Attrs: map[string]any{"units": c.units},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := drx.Write(v.Array(), nil, c.values); err != nil {
			t.Fatal(err)
		}
	}
	v, err := d.CreateVariable("t", drx.Spec{DType: dtype.Float32, Shape: []int{len(lat), len(lon)}, Dims: []string{"lat", "lon"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := drx.Write(v.Array(), nil, data); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "t")
}

// North must be up, whatever the order of the latitudes; a coordinate that is not uniform must be
// drawn by index.
func TestMapsHaveNorthUp(t *testing.T) {
	lon := []float64{0, 10, 20}
	for _, c := range []struct {
		lat         []float64
		first, last float64 // of the vertical axis, from the bottom
		top         int     // the row that is on top
	}{
		{[]float64{50, 51, 52, 53}, 49.5, 53.5, 3},
		{[]float64{53, 52, 51, 50}, 49.5, 53.5, 0},
		{[]float64{50, 51, 52, 60}, -0.5, 3.5, 3},
	} {
		name := newGrid(t, c.lat, lon, []float32{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3})
		err := arrays.With(name, false, func(a *drx.Array) error {
			s := mustScene(t, a)
			parts, err := s.Read(t.Context(), s.Sel, display.FigureSide, progress.None)
			if err != nil {
				return err
			}
			k, err := s.ColorScale(parts)
			if err != nil {
				return err
			}
			f, err := s.Figure(parts, k, "", false)
			if err != nil {
				return err
			}
			if f.Y.From != c.first || f.Y.To != c.last || f.X.From != -5 || f.X.To != 25 {
				t.Errorf("%v: axes %+v and %+v", c.lat, f.X, f.Y)
			}
			want := k.Heat.Colors.Map(float64(c.top) / 3)
			if got := color.RGBAModel.Convert(f.Raster.Image.At(0, 0)); got != want {
				t.Errorf("%v: the top is %v, want row %d, %v", c.lat, got, c.top, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	name := newGrid(t, []float64{50, 51, 52, 60}, lon, make([]float32, 12))
	svg, _ := viewed(t, name, ".svg")
	for _, want := range []string{">lat (degrees_north), by index<", ">60<", ">lon (degrees_east)<"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %s in the picture", want)
		}
	}
}

// Lines must have their points at the values of a monotonic coordinate, and points that stand for
// several elements in the middle of these.
func TestLinesAreAtTheirValues(t *testing.T) {
	name := newGrid(t, []float64{1, 2, 4, 8}, []float64{5, 3, 4}, make([]float32, 12))
	err := arrays.With(name, false, func(a *drx.Array) error {
		for _, c := range []struct {
			at   string
			want []float64
		}{{"lon=0", []float64{1, 2, 4, 8}}, {"lat=1", []float64{0, 1, 2}}} { // lon goes up and down
			o := Options{Out: "a.svg", Colors: "viridis", Lo: math.NaN(), Hi: math.NaN()}
			o.At = c.at
			s, err := NewScene(o, a, -1)
			if err != nil {
				return err
			}
			lines := []lineSection{{sel: s.Sel}}
			parts, err := s.readLines(t.Context(), lines, progress.None)
			if err != nil {
				return err
			}
			f, err := s.lineFigure(lines, parts, 0, 1, "")
			if err != nil {
				return err
			}
			if s.kind != linesKind || !slices.Equal(f.Lines[0].X, c.want) {
				t.Errorf("--at %s: points at %v, want %v", c.at, f.Lines[0].X, c.want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	a := clitest.NewArray(t, drx.Spec{DType: dtype.Float64, Shape: []int{5 * linePixel}})
	values := make([]float64, 5*linePixel)
	for i := range values {
		values[i] = float64(i)
	}
	if err := drx.Write(a, nil, values); err != nil {
		t.Fatal(err)
	}
	s := mustScene(t, a)
	lines := []lineSection{{sel: s.Sel}}
	parts, err := s.readLines(t.Context(), lines, progress.None)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.lineFigure(lines, parts, 0, 1, "")
	line := f.Lines[0]
	if err != nil || len(line.X) != 2*linePixel || len(line.Y) != len(line.X) {
		t.Fatalf("%d and %d points, %v", len(line.X), len(line.Y), err)
	}
	for i, x := range line.X { // the two points of a block of five
		if want := x + float64(4*(i%2)-2); line.Y[i] != want {
			t.Errorf("point %d at %v is %v, want %v", i, x, line.Y[i], want)
		}
	}
}

// A line must go through the least and the greatest value of each block, in their order, so that
// spikes and gaps are visible.
func TestLinesKeepSpikes(t *testing.T) {
	const n = 3*linePixel + 1
	values := make([]float32, n)
	for i := range values {
		values[i] = rand.Float32()
	}
	values[1000], values[2000] = 1e6, -1e6
	for i := 3000; i < 3012; i++ {
		values[i] = float32(math.NaN())
	}
	a := clitest.NewArray(t, drx.Spec{DType: dtype.Float32, Shape: []int{n}})
	if err := drx.Write(a, nil, values); err != nil {
		t.Fatal(err)
	}
	s := mustScene(t, a)
	parts, err := s.readLines(t.Context(), []lineSection{{sel: s.Sel}}, progress.None)
	if err != nil {
		t.Fatal(err)
	}
	part, gaps := parts[0], 0
	if part.Across.Block != 4 || len(part.ends) != nd.CeilDiv(n, 4) {
		t.Fatalf("%d blocks of %d", len(part.ends), part.Across.Block)
	}
	for i, e := range part.ends {
		var want ends
		least, most := -1, -1
		for j := 4 * i; j < min(n, 4*i+4); j++ {
			if v := values[j]; v == v {
				if least < 0 || v < values[least] {
					least = j
				}
				if most < 0 || v > values[most] {
					most = j
				}
			}
		}
		if least < 0 {
			if gaps++; !math.IsNaN(e.first) || !math.IsNaN(e.last) {
				t.Errorf("block %d: %v, want NaN", i, e)
			}
			continue
		}
		if want = (ends{float64(values[least]), float64(values[most])}); most < least {
			want.first, want.last = want.last, want.first
		}
		if e != want {
			t.Errorf("block %d: %v, want %v", i, e, want)
		}
	}
	if gaps < 2 {
		t.Errorf("%d gaps", gaps)
	}
}

// A direction that fits must not be reduced, and labels never: each has its own elements.
func TestReductionOfDirections(t *testing.T) {
	labels := func(n int) any {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprint("s", i)
		}
		return list
	}
	for _, c := range []struct {
		rows, cols   int
		labelled     string
		down, across Reduction
	}{
		{2184, 3, "", Reduction{1, 2}, Reduction{1, 1}},
		{2184, 3, "labels/1/0", Reduction{1, 2}, Reduction{1, 1}},
		{3, 5000, "", Reduction{1, 1}, Reduction{1, 5}},
		{600, 2500, "", Reduction{1, 1}, Reduction{1, 3}},
		{1000, 2500, "", Reduction{1, 3}, Reduction{1, 3}}, // a picture keeps its proportions
		{1000, 2500, "labels/0/0", Reduction{1, 1}, Reduction{1, 3}},
		{2500, 2500, "labels/0/0", Reduction{3, 1}, Reduction{1, 3}},
		{1200, 1200, "", Reduction{1, 1}, Reduction{1, 1}},
	} {
		a := clitest.NewArray(t, drx.Spec{DType: dtype.Uint8, Shape: []int{c.rows, c.cols}})
		if c.labelled != "" {
			n := c.cols
			if c.labelled == "labels/0/0" {
				n = c.rows
			}
			if err := a.SetAttr(c.labelled, labels(n)); err != nil {
				t.Fatal(err)
			}
		}
		data := make([]uint8, c.rows*c.cols)
		for i := range data {
			data[i] = uint8(i % c.cols)
		}
		if err := drx.Write(a, nil, data); err != nil {
			t.Fatal(err)
		}
		s := mustScene(t, a)
		part, err := readSlice(t.Context(), cubeOf(t, a), s.Sel, display.Plane{Rows: 0, Cols: 1}, s.Meaning, display.FigureSide, progress.None)
		if err != nil || part.Down != c.down || part.Across != c.across {
			t.Errorf("%d x %d, %s: %+v and %+v, want %+v and %+v: %v", c.rows, c.cols, c.labelled, part.Down, part.Across, c.down, c.across, err)
		}
		for j := range min(part.Cols, 3) {
			if v := part.Values[j]; part.Across.Block == 1 && v != float64(j) {
				t.Errorf("%d x %d: column %d is %v", c.rows, c.cols, j, v)
			}
		}
	}
}

// The colours must leave out a few outliers, but not many, and none if the flags say so.
func TestRobustLimits(t *testing.T) {
	few := make([]float64, 1000)
	for i := range few {
		few[i] = float64(i % 100)
	}
	many := slices.Clone(few)
	few[5] = 1e6
	for i := range 20 {
		many[i*7] = 1e6
	}
	none := Options{Lo: math.NaN(), Hi: math.NaN()}
	with := func(change func(o *Options)) Options {
		o := none
		change(&o)
		return o
	}
	for name, c := range map[string]struct {
		o      Options
		values []float64
		hi     float64
		robust bool
	}{
		"few":     {none, few, 99, true},
		"many":    {none, many, 1e6, false},
		"refused": {with(func(o *Options) { o.RobustGiven = true }), few, 1e6, false},
		"asked":   {with(func(o *Options) { o.RobustGiven, o.Robust = true, true }), few, 99, true},
		"given":   {with(func(o *Options) { o.Hi = 7 }), few, 7, false},
		"other":   {with(func(o *Options) { o.Lo = 7 }), few, 1e6, false},
		"mirror":  {with(func(o *Options) { o.Colors = "diverging" }), few, 99, true},
		"sparse":  {none, append(make([]float64, 999), 5), 5, false},
		"none":    {none, []float64{math.NaN()}, 1, false},
	} {
		s := &Slice{Values: c.values, Stat: NoStat()}
		for _, v := range c.values {
			s.Stat.Add(v)
		}
		if h := c.o.limits(s); h.Hi != c.hi || h.Robust != c.robust || c.o.Colors != "" && h.Lo != -c.hi {
			t.Errorf("%s: %v to %v, robust %v", name, h.Lo, h.Hi, h.Robust)
		}
	}
}
