package view

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/gif"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"drx"
	"drx/cmd/drx/internal/clitest"
	"drx/cmd/drx/internal/display"
	"drx/cmd/drx/internal/interrupt"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/scaled"
	"drx/cube"
	"drx/dtype"
	"drx/internal/enumtest"
	"drx/nd"
)

// movie returns the flags of an animation along a dimension, without axes.
func movie(dim, out string) Options {
	return Options{
		plain:   true, // the axes have tests of their own
		animate: dim, Out: out, every: 1, delay: 100 * time.Millisecond,
		Lo: math.NaN(), Hi: math.NaN(), Colors: "viridis",
	}
}

// newMovie returns an array of 6 x 9 x 7 random values, without the chunks at time 2 and some
// elements.
func newMovie(t *testing.T) *drx.Array {
	t.Helper()
	a := clitest.NewArray(t, drx.Spec{
		DType: dtype.Float32, Shape: []int{6, 9, 7}, Lo: []int{-1, 0, 0}, ChunkShape: []int{1, 4, 4},
		Dims: []string{"time", "y", "x"}, FillValue: "NaN",
	})
	rng := rand.New(rand.NewPCG(1, 2))
	for i := -1; i < 5; i++ {
		if i == 2 {
			continue
		}
		values := make([]float32, 9*7)
		for j := range values {
			values[j] = float32(100*i) + float32(rng.IntN(1000))/10
			if rng.IntN(9) == 0 {
				values[j] = float32(math.NaN())
			}
		}
		if err := drx.Write(a, nd.Sec(nd.At(i), nd.All, nd.All), values); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// play writes an animation and returns it with the properties common to its pictures.
func play(t *testing.T, a *drx.Array, o Options) (*animator, []byte) {
	t.Helper()
	m, err := newAnimator(o, a)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.write(t.Context(), &b, filepath.Ext(o.Out), &progress.Progress{}); err != nil {
		t.Fatal(err)
	}
	return m, b.Bytes()
}

// samePicture compares colours.
func samePicture(t *testing.T, what string, got, want *image.Paletted) {
	t.Helper()
	if got.Rect.Size() != want.Rect.Size() {
		t.Fatalf("%s: %v pixels, want %v", what, got.Rect.Size(), want.Rect.Size())
	}
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			g := got.At(got.Rect.Min.X+x, got.Rect.Min.Y+y)
			if w := want.At(want.Rect.Min.X+x, want.Rect.Min.Y+y); g != w {
				t.Fatalf("%s: pixel %d, %d is %v, want %v", what, x, y, g, w)
			}
		}
	}
}

// drawn returns the picture without axes that view draws.
func drawn(t *testing.T, a *drx.Array, o Options) *image.Paletted {
	t.Helper()
	s, err := NewScene(o, a, -1)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := s.Read(t.Context(), s.Sel, viewSide, progress.None)
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.ColorScale(parts)
	if err != nil {
		t.Fatal(err)
	}
	img, err := s.PlainPicture(parts, k, viewSide)
	if err != nil {
		t.Fatal(err)
	}
	return img.(*image.Paletted)
}

// Every picture must be the one that view draws of its index with the same limits.
func TestAnimationShowsWhatViewDoes(t *testing.T) {
	a := newMovie(t)
	for _, c := range []struct {
		what, dim string
		change    func(o *Options)
		indices   []int
		lo, hi    float64 // NaN: the limits of the elements
	}{
		{"in time", "time", func(*Options) {}, []int{-1, 0, 1, 2, 3, 4}, math.NaN(), math.NaN()},
		{"given limits", "time", func(o *Options) { o.Lo, o.Hi = 0, 50 }, []int{-1, 0, 1, 2, 3, 4}, 0, 50},
		{"every other", "time", func(o *Options) { o.every = 2 }, []int{-1, 1, 3}, math.NaN(), math.NaN()},
		{"a step and every other", "time", func(o *Options) { o.At, o.every = "time=0:5:2", 2 }, []int{0, 4}, math.NaN(), math.NaN()},
		{"one", "time", func(o *Options) { o.every = math.MaxInt }, []int{-1}, math.NaN(), math.NaN()},
		{"nothing but missing values", "time", func(o *Options) { o.At = "time=2" }, []int{2}, 0, 1},
		{"in space, grey", "x", func(o *Options) { o.Colors, o.zoom = "grey", 9 }, []int{0, 1, 2, 3, 4, 5, 6}, math.NaN(), math.NaN()},
		{"another plane", "y", func(o *Options) { o.dims = "x,time" }, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, math.NaN(), math.NaN()},
	} {
		o := movie(c.dim, "m.gif")
		c.change(&o)
		m, file := play(t, a, o)
		g, err := gif.DecodeAll(bytes.NewReader(file))
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if !slices.Equal(m.pictures, c.indices) || len(g.Image) != len(c.indices) || g.Delay[0] != 10 {
			t.Fatalf("%s: %d pictures of %v, want those of %v", c.what, len(g.Image), m.pictures, c.indices)
		}
		if math.IsNaN(c.lo) {
			c.lo, c.hi = m.counts.Stat.min, m.counts.Stat.max
		}
		if m.scale.Heat.Lo != c.lo || m.scale.Heat.Hi != c.hi {
			t.Errorf("%s: limits %v to %v, want %v to %v", c.what, m.scale.Heat.Lo, m.scale.Heat.Hi, c.lo, c.hi)
		}
		for i, index := range c.indices {
			v := o
			v.Lo, v.Hi, v.At = c.lo, c.hi, c.dim+"="+scaled.FormatValue(float64(index))
			samePicture(t, c.what, g.Image[i], drawn(t, a, v))
		}
	}
}

// The counts must cover all pictures. A second pass over them must change nothing.
func TestAnimationCounts(t *testing.T) {
	a := newMovie(t)
	all, err := drx.Read[float32](a, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := stat{min: math.NaN(), max: math.NaN()}
	for _, v := range all {
		want.Add(float64(v))
	}
	for _, limits := range [][2]float64{{math.NaN(), math.NaN()}, {0, 1}, {5, math.NaN()}} {
		o := movie("time", "m.png")
		o.Lo, o.Hi = limits[0], limits[1]
		m, _ := play(t, a, o)
		if m.counts.Stat != want {
			t.Errorf("limits %v: %v, want %v", limits, &m.counts.Stat, &want)
		}
	}
}

// If all values of a picture are equal, it must still have the common limits of all pictures.
func TestAnimationOfEqualLimits(t *testing.T) {
	a := clitest.NewArray(t, drx.Spec{DType: dtype.Int16, Shape: []int{2, 2, 2}})
	if err := drx.Write(a, nil, []int16{1, 2, 3, 4, 1, 1, 1, 1}); err != nil {
		t.Fatal(err)
	}
	o := movie("0", "m.gif")
	o.Lo = 10 // above everything
	m, file := play(t, a, o)
	if m.scale.Heat.Lo != 10 || m.scale.Heat.Hi != 10 {
		t.Errorf("limits %v to %v", m.scale.Heat.Lo, m.scale.Heat.Hi)
	}
	g, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	low := m.scale.Heat.Colors.Map(0)
	for i, img := range g.Image {
		for _, p := range img.Pix[:256] {
			if img.Palette[p] != low {
				t.Fatalf("picture %d has %v, want the low end", i, img.Palette[p])
			}
		}
	}
}

// With --robust, a few outliers anywhere must not widen the range of the colours.
func TestAnimationRobust(t *testing.T) {
	a := clitest.NewArray(t, drx.Spec{DType: dtype.Float64, Shape: []int{5, 40, 40}})
	values := make([]float64, 5*40*40)
	for i := range values {
		values[i] = float64(i % 100)
	}
	values[17], values[7000] = -1e9, 1e9
	if err := drx.Write(a, nil, values); err != nil {
		t.Fatal(err)
	}
	o := movie("0", "m.gif")
	o.Robust = true
	if m, _ := play(t, a, o); m.scale.Heat.Lo < 0 || m.scale.Heat.Lo > 1 || m.scale.Heat.Hi < 98 || m.scale.Heat.Hi > 99 {
		t.Errorf("limits %v to %v, want about 0 to 99", m.scale.Heat.Lo, m.scale.Heat.Hi)
	}
}

func TestSample(t *testing.T) {
	for _, c := range [][3]int{{10, 10, 10}, {10, 20, 10}, {10, 3, 3}, {10, 1, 1}, {0, 5, 0}, {11, 10, 6}} {
		values := make([]float64, c[0])
		if got := sampled(values, c[1]); len(got) != c[2] {
			t.Errorf("%d of %d values: got %d, want %d", c[1], c[0], len(got), c[2])
		}
	}
}

// A picture with axes must show its label, or else its index. Only that line and the elements may
// differ between pictures.
func TestAnimationTitles(t *testing.T) {
	a := newMovie(t)
	o := movie("time", "m.gif")
	o.plain = false
	m, err := newAnimator(o, a)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.subtitle(-1); got != "time = -1" {
		t.Errorf("subtitle %q", got)
	}
	c, err := cube.Of(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetLabels(0, []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}); err != nil {
		t.Fatal(err)
	}
	m, file := play(t, a, o)
	if got := m.subtitle(-1); got != "time = Mon" {
		t.Errorf("subtitle %q", got)
	}
	g, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	raster := display.RasterSize(9, 7, 0)
	differ := image.Rectangle{}
	for _, img := range g.Image[1:] {
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				if img.At(x, y) != g.Image[0].At(x, y) {
					differ = differ.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
	}
	elements := image.Rectangle{Min: differ.Max.Sub(raster), Max: differ.Max}
	for _, img := range g.Image[1:] {
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				at := image.Pt(x, y)
				if img.At(x, y) != g.Image[0].At(x, y) && !at.In(elements) && y > 60 {
					t.Fatalf("%v differs, outside of the elements %v", at, elements)
				}
			}
		}
	}
	if differ.Min.Y >= elements.Min.Y-5 {
		t.Errorf("the titles do not differ: pixels differ in %v", differ)
	}
}

// GIF and animated PNG must contain the same pictures; any program shows the first one of the PNG.
func TestAnimationFormats(t *testing.T) {
	a := newMovie(t)
	_, asGIF := play(t, a, movie("time", "m.gif"))
	_, asPNG := play(t, a, movie("time", "m.apng"))
	g, err := gif.Decode(bytes.NewReader(asGIF))
	if err != nil {
		t.Fatal(err)
	}
	p, err := png.Decode(bytes.NewReader(asPNG))
	if err != nil {
		t.Fatal(err)
	}
	samePicture(t, "first picture", p.(*image.Paletted), g.(*image.Paletted))
	if bytes.Count(asPNG, []byte("fcTL")) != 6 || !bytes.Contains(asPNG, []byte("acTL\x00\x00\x00\x06")) {
		t.Error("the animated PNG has not 6 pictures")
	}
}

// cancelAfter cancels when the first bytes have been written.
type cancelAfter struct {
	io.Writer
	cancel func()
}

func (w cancelAfter) Write(p []byte) (int, error) {
	w.cancel()
	return w.Writer.Write(p)
}

// An interruption must leave the old file unchanged, and no other file.
func TestInterruptedAnimationLeavesNoFile(t *testing.T) {
	a := newMovie(t)
	for _, old := range []string{"", "old"} {
		dir := t.TempDir()
		name := filepath.Join(dir, "m.apng")
		want := []string{}
		if old != "" {
			if err := os.WriteFile(name, []byte(old), 0o666); err != nil {
				t.Fatal(err)
			}
			want = append(want, "m.apng")
		}
		m, err := newAnimator(movie("time", name), a)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		begun := false
		err = outfile.Replace(name, func(w io.Writer) error {
			return m.write(ctx, cancelAfter{w, func() { begun = true; cancel() }}, ".apng", &progress.Progress{})
		})
		if !errors.Is(err, context.Canceled) || !begun {
			t.Errorf("begun %v, error %v", begun, err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if now, _ := os.ReadFile(name); !slices.Equal(got, want) || string(now) != old {
			t.Errorf("left %v, %q, want %v, %q", got, now, want, old)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, complaint strings.Builder
	name := filepath.Join(t.TempDir(), "m.gif")
	code := run(ctx, []string{"view", a.Name(), "--animate", "time", "-o", name}, nil, &out, &complaint)
	if _, err := os.Stat(name); code != interrupt.ExitSignal || err == nil || complaint.String() != "drx: interrupted\n" {
		t.Errorf("exit code %d, %s", code, complaint.String())
	}
}

// heapWatch records the size of the heap at some of its writes.
type heapWatch struct {
	writes int
	heaps  []uint64
}

func (w *heapWatch) Write(p []byte) (int, error) {
	if w.writes%50 == 0 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		w.heaps = append(w.heaps, m.HeapAlloc)
	}
	w.writes++
	return len(p), nil
}

// Memory must not grow with the number of pictures: 30 of them have 15 MiB of values.
func TestLargeAnimation(t *testing.T) {
	enumtest.Large(t)
	a := clitest.NewArray(t, drx.Spec{DType: dtype.Uint8, Shape: []int{30, 256, 256}, ChunkShape: []int{1, 256, 256}})
	noise := make([]uint8, 30*256*256)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range noise {
		noise[i] = uint8(rng.Uint32())
	}
	if err := drx.Write(a, nil, noise); err != nil {
		t.Fatal(err)
	}
	noise = nil
	m, err := newAnimator(movie("0", "m.gif"), a)
	if err != nil {
		t.Fatal(err)
	}
	var w heapWatch
	if err := m.write(t.Context(), &w, ".gif", &progress.Progress{}); err != nil {
		t.Fatal(err)
	}
	n := len(w.heaps)
	if n < 8 {
		t.Fatalf("%d writes", w.writes)
	}
	if first, later := slices.Max(w.heaps[:n/4]), slices.Max(w.heaps[n/4:]); later > first+3<<20 {
		t.Errorf("the heap grew from %d to %d bytes", first, later)
	}
}

func TestAnimationOfTwoDimensions(t *testing.T) {
	a := clitest.NewArray(t, drx.Spec{DType: dtype.Int16, Shape: []int{3, 20}})
	if err := drx.Write(a, nil, make([]int16, 60)); err != nil {
		t.Fatal(err)
	}
	m, _ := play(t, a, movie("0", "m.gif"))
	if m.p != (display.Plane{Rows: -1, Cols: 1}) || len(m.pictures) != 3 {
		t.Errorf("plane %v, %d pictures", m.p, len(m.pictures))
	}
	// A third dimension with one index must not be drawn instead of the others.
	b := clitest.NewArray(t, drx.Spec{DType: dtype.Int16, Shape: []int{5, 1, 4}})
	if m, _ := play(t, b, movie("2", "m.gif")); m.p != (display.Plane{Rows: 0, Cols: 1}) {
		t.Errorf("plane %v", m.p)
	}
}
