package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"
)

var nan, inf = math.NaN(), math.Inf(1)

func TestViridis(t *testing.T) {
	// The published colours of the ends and the middle of the table.
	for v, want := range map[float64]uint32{0: 0x440154, 1: 0xfde725, 128.0 / 255: 0x21918c, -3: 0x440154, inf: 0xfde725, nan: 0x808080} {
		if got := Viridis.Map(v); got != rgb(want) {
			t.Errorf("Map(%v) = %v, want %v", v, got, rgb(want))
		}
	}
	luminance := func(c color.RGBA) float64 {
		linear := func(v uint8) float64 { return math.Pow((float64(v)/255+0.055)/1.055, 2.4) }
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	for _, m := range []Colors{Viridis, Grey} {
		// With 8 bits an entry may equal its neighbour, but not the one after that.
		for i := 2; i < 256; i++ {
			a, b := m.Map(float64(i-2)/255), m.Map(float64(i)/255)
			if luminance(a) >= luminance(b) {
				t.Errorf("map %d: entry %d is not brighter than entry %d", m, i, i-2)
			}
		}
	}
}

// The diverging map is palest in the middle, darkens evenly to both ends, and is blue below and red
// above.
func TestDiverging(t *testing.T) {
	light := func(i int) int { return luma(Diverging.Map(float64(i) / 254)) }
	for i := 1; i <= 127; i++ {
		if light(i) < light(i-1) || light(254-i) < light(255-i) {
			t.Errorf("levels %d and %d are darker than those further out", i, 254-i)
		}
	}
	if d := light(0) - light(254); d < -25 || d > 25 || light(127) < 225 {
		t.Errorf("light %d, %d, %d", light(0), light(127), light(254))
	}
	low, high := Diverging.Map(0.1), Diverging.Map(0.9)
	if low.B < low.R+60 || high.R < high.B+60 {
		t.Errorf("%v is not blue, or %v not red", low, high)
	}
}

func TestColors(t *testing.T) {
	for name, want := range map[string]Colors{"viridis": Viridis, "grey": Grey, "gray": Grey, "diverging": Diverging} {
		if got, err := ParseColors(name); got != want || err != nil {
			t.Errorf("ParseColors(%q) = %v, %v", name, got, err)
		}
	}
	if _, err := ParseColors("jet"); err == nil || !strings.Contains(err.Error(), `"jet"`) {
		t.Errorf("ParseColors(jet): %v", err)
	}
	for _, m := range []Colors{Viridis, Grey, Diverging} {
		p := m.palette()
		if p[0] != m.Map(0) || p[topLevel] != m.Map(1) || slices.Index(p, color.Color(m.Missing())) != missingLevel {
			t.Errorf("map %d: the palette does not end in the map's ends and its missing colour", m)
		}
	}
}

// heat draws and returns the picture's palette indices by row.
func heat(t *testing.T, values []float64, rows, cols int, o HeatOptions) [][]uint8 {
	t.Helper()
	img, err := Heat(values, rows, cols, o)
	if err != nil {
		t.Fatal(err)
	}
	var pix [][]uint8
	for y := range img.Rect.Dy() {
		pix = append(pix, img.Pix[y*img.Stride:][:img.Rect.Dx()])
	}
	return pix
}

func TestHeatLevels(t *testing.T) {
	huge := math.MaxFloat64
	for _, c := range []struct {
		name   string
		values []float64
		o      HeatOptions
		want   []uint8
	}{
		{"automatic", []float64{10, 20, 15, nan}, HeatOptions{}, []uint8{0, 254, 127, 255}},
		{"infinities", []float64{inf, 1, 3, -inf}, HeatOptions{}, []uint8{254, 0, 254, 0}},
		{"given", []float64{-5, 0, 10, 99}, HeatOptions{Lo: 0, Hi: 10}, []uint8{0, 0, 254, 254}},
		{"reversed", []float64{-5, 2, 8, inf}, HeatOptions{Lo: 10, Hi: 0}, []uint8{254, 204, 51, 0}},
		{"one given", []float64{2, 4, 6, 8}, HeatOptions{Lo: 4, Hi: nan}, []uint8{0, 0, 127, 254}},
		{"one given beyond", []float64{1, 2, 9, 3}, HeatOptions{Lo: 9, Hi: nan}, []uint8{0, 0, 127, 0}},
		{"all equal", []float64{7, 7, nan, 7}, HeatOptions{}, []uint8{127, 127, 255, 127}},
		{"equal and infinite", []float64{7, inf, -inf, 7}, HeatOptions{}, []uint8{127, 254, 0, 127}},
		{"nothing finite", []float64{nan, inf, -inf, nan}, HeatOptions{}, []uint8{255, 254, 0, 255}},
		{"widest range", []float64{-huge, huge, 0, inf}, HeatOptions{}, []uint8{0, 254, 127, 254}},
		{"narrowest range", []float64{0, 5e-324, -1, 1}, HeatOptions{Lo: 0, Hi: 5e-324}, []uint8{0, 254, 0, 254}},
	} {
		c.o.Zoom = 1
		pix := heat(t, c.values, 2, 2, c.o)
		if got := slices.Concat(pix...); !slices.Equal(got, c.want) {
			t.Errorf("%s: got levels %v, want %v", c.name, got, c.want)
		}
	}
}

func TestHeatRobust(t *testing.T) {
	values := make([]float64, 1001)
	for i := range values {
		values[i] = float64(i)
	}
	values[3], values[500] = 1e30, nan
	// 1000 finite values: 0, 1, 2, 4 .. 1000 and the outlier. The percentiles are at the indices
	// round(0.005*999) = 5 and round(0.995*999) = 994.
	if lo, hi := (HeatOptions{Robust: true}).Limits(values); lo != 6 || hi != 996 {
		t.Errorf("robust limits %v to %v, want 6 to 996", lo, hi)
	}
	if lo, hi := (HeatOptions{}).Limits(values); lo != 0 || hi != 1e30 {
		t.Errorf("limits %v to %v, want 0 to 1e30", lo, hi)
	}
	// If the percentiles are equal, the limits are the whole range.
	mostly := make([]float64, 1000)
	mostly[7] = 5
	if lo, hi := (HeatOptions{Robust: true}).Limits(mostly); lo != 0 || hi != 5 {
		t.Errorf("robust limits of nearly equal values %v to %v, want 0 to 5", lo, hi)
	}
}

func TestHeatReduces(t *testing.T) {
	values := []float64{
		0, 0, 100, 100, nan,
		0, 0, 100, nan, nan,
		40, 60, inf, 0, 20,
	}
	got := heat(t, values, 3, 5, HeatOptions{Lo: 0, Hi: 100, MaxSide: 3})
	want := [][]uint8{{0, 254, 255}, {127, 254, 51}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("means of blocks: levels %v, want %v", got, want)
	}
	// The mean of infinities of both signs in a block is the middle.
	got = heat(t, []float64{inf, -inf}, 1, 2, HeatOptions{Lo: -1, Hi: 1, MaxSide: 1, Zoom: 5})
	if len(got) != 1 || len(got[0]) != 1 || got[0][0] != 127 {
		t.Errorf("mean of two infinities: levels %v, want one of 127", got)
	}
	// The mean is that of the values, not of their colours.
	got = heat(t, []float64{0, 400, 0, 0}, 1, 4, HeatOptions{Lo: 0, Hi: 100, MaxSide: 1})
	if got[0][0] != 254 {
		t.Errorf("mean 100 has level %d, want 254", got[0][0])
	}
}

func TestHeatSizes(t *testing.T) {
	for _, c := range []struct {
		rows, cols, zoom, maxSide int
		h, w                      int
	}{
		{3, 4, 0, 0, 192, 256},
		{3, 5, 0, 0, 156, 260},
		{300, 200, 0, 0, 300, 200},
		{1, 1, 0, 0, 256, 256},
		{1, 1000, 0, 0, 16, 1000},
		{1, 5000, 0, 0, 16, 1667},
		{3, 4, 10, 0, 30, 40},
		{3, 4, 10, 25, 18, 24},
		{3, 4, 0, 10, 6, 8},
		{4097, 10, 1, 0, 1366, 4},
		{1, 9, 7, 0, 7, 63},
	} {
		img, err := Heat(make([]float64, c.rows*c.cols), c.rows, c.cols, HeatOptions{Zoom: c.zoom, MaxSide: c.maxSide})
		if err != nil {
			t.Fatal(err)
		}
		if got := img.Rect.Size(); got != image.Pt(c.w, c.h) {
			t.Errorf("%d x %d, zoom %d, longest side %d: %d x %d pixels, want %d x %d",
				c.rows, c.cols, c.zoom, c.maxSide, got.Y, got.X, c.h, c.w)
		}
	}
	pix := heat(t, []float64{0, 1, 2, 3}, 2, 2, HeatOptions{Lo: 0, Hi: 3, Zoom: 2})
	want := [][]uint8{{0, 0, 85, 85}, {0, 0, 85, 85}, {170, 170, 254, 254}, {170, 170, 254, 254}}
	if !slices.EqualFunc(pix, want, slices.Equal) {
		t.Errorf("zoom 2: levels %v, want %v", pix, want)
	}
}

func TestHeatRefuses(t *testing.T) {
	for _, c := range []struct {
		n, rows, cols int
		o             HeatOptions
		want          string
	}{
		{0, 0, 3, HeatOptions{}, "0 x 3"},
		{4, -2, -2, HeatOptions{}, "-2 x -2"},
		{5, 2, 3, HeatOptions{}, "got 5 values"},
		{0, math.MaxInt, 4, HeatOptions{}, "got 0 values"},
		{6, 2, 3, HeatOptions{Lo: -inf}, "-Inf"},
		{6, 2, 3, HeatOptions{Zoom: -1}, "zoom -1"},
		{6, 2, 3, HeatOptions{MaxSide: 20000}, "16384"},
	} {
		_, err := Heat(make([]float64, c.n), c.rows, c.cols, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d values as %d x %d, %+v: error %v, want one with %q", c.n, c.rows, c.cols, c.o, err, c.want)
		}
	}
}

func TestWritePNG(t *testing.T) {
	img, err := Heat([]float64{0, 1, nan, 0.5}, 2, 2, HeatOptions{Zoom: 3})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WritePNG(&b, img); err != nil {
		t.Fatal(err)
	}
	back, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	for y, row := range [][]color.RGBA{{rgb(0x440154), rgb(0xfde725)}, {rgb(0x808080), Viridis.Map(0.5)}} {
		for x, want := range row {
			if got := back.At(3*x+2, 3*y); got != color.Color(want) {
				t.Errorf("pixel of element %d,%d is %v, want %v", y, x, got, want)
			}
		}
	}
	if err := WritePNG(fullDisk{}, img); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error of the writer: got %v", err)
	}
}
