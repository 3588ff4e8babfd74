package cavity

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// flowOf returns a field whose velocity is a function of the position, in widths of the box.
func flowOf(rows, cols int, at func(y, x float64) (u, v float64)) *Field {
	f := &Field{Flow: Flow{Lid: 0.1, Viscosity: 0.1 * float64(cols) / 100, Collision: "bgk"}, Rows: rows, Cols: cols}
	for i := range rows * cols {
		u, v := at((float64(i/cols)+0.5)/float64(cols), (float64(i%cols)+0.5)/float64(cols))
		f.values = append(f.values, float32(u), float32(v), 1)
	}
	return f
}

// TestDerived: the vorticity and the stream function of a flow for which both are known. The
// velocity is 0 at all walls but the lid.
func TestDerived(t *testing.T) {
	worst := map[string][]float64{}
	for _, n := range []int{20, 40} {
		g := func(x float64) float64 { return x * x * (1 - x) * (1 - x) }
		slope := func(x float64) float64 { return 2 * x * (1 - x) * (1 - 2*x) }
		second := func(x float64) float64 { return 2 - 12*x + 12*x*x }
		f := flowOf(n, n, func(y, x float64) (u, v float64) { // psi = g(x) (y^3 - y^2): u = dpsi/dy, v = -dpsi/dx
			return g(x) * (3*y*y - 2*y), -slope(x) * (y*y*y - y*y)
		})
		psi, w := f.streamFunction(), f.vorticity()
		var errorPsi, errorW float64
		for i := range psi {
			y, x := (float64(i/n)+0.5)/float64(n), (float64(i%n)+0.5)/float64(n)
			errorPsi = max(errorPsi, math.Abs(psi[i]-g(x)*(y*y*y-y*y)))
			if i/n < n-1 { // the lid has g(x) here, not 1
				errorW = max(errorW, math.Abs(w[i]+second(x)*(y*y*y-y*y)+g(x)*(6*y-2)))
			}
		}
		worst["psi"], worst["w"] = append(worst["psi"], errorPsi), append(worst["w"], errorW)
	}
	for name, e := range worst {
		if order := math.Log2(e[0] / e[1]); order < 1.7 || e[1] > 0.01 {
			t.Errorf("%s: errors %v, order %.2f", name, e, order)
		}
	}
}

// TestProfile: the interpolation is exact for cubic functions that fit the walls, at the abscissas
// of the tables.
func TestProfile(t *testing.T) {
	for _, n := range []int{4, 7, 64} {
		cubic := func(x float64) float64 { return x * (0.3 + x*(1.7-x)) }
		f := flowOf(n, n, func(y, x float64) (u, v float64) { return cubic(y), x * (x - 1) * (x + 0.2) })
		c := f.compare(reference{})
		for i := range heights {
			x := abscissas[i]
			if math.Abs(c.U[i]-cubic(heights[i])) > 1e-6 || math.Abs(c.V[i]-x*(x-1)*(x+0.2)) > 1e-6 {
				t.Errorf("%d nodes: %v at %v, %v at %v", n, c.U[i], heights[i], c.V[i], x)
			}
		}
	}
}

// TestNoNumber: velocities that are NaN agree with nothing.
func TestNoNumber(t *testing.T) {
	for _, component := range []int{0, 1} {
		f := flowOf(8, 8, func(y, x float64) (u, v float64) { return 0, 0 })
		for i := range 64 {
			f.values[Components*i+component] = float32(math.NaN())
		}
		if c := f.compare(ghia[100]); !math.IsNaN([]float64{c.DU, c.DV}[component]) {
			t.Error(c.DU, c.DV)
		}
	}
}

// TestTables: the two tables for Reynolds number 1000 differ by less than 2 % of the lid, as the
// papers do; and a wrong digit in the others would make a profile less smooth than the suspect
// value does.
func TestTables(t *testing.T) {
	for i := range heights {
		if math.Abs(ghia[1000].u[i]-botella.u[i]) > 0.02 || math.Abs(ghia[1000].v[i]-botella.v[i]) > 0.02 {
			t.Errorf("row %d: %v, %v", i, ghia[1000], botella)
		}
	}
	for re, r := range ghia {
		for name, values := range map[string][2][17]float64{"u": {heights, r.u}, "v": {abscissas, r.v}} {
			x, y := values[0], values[1]
			for i := 1; i < 16; i++ {
				if x[i+1]-x[i-1] < 0.04 {
					between := y[i-1] + (y[i+1]-y[i-1])*(x[i]-x[i-1])/(x[i+1]-x[i-1])
					if math.Abs(y[i]-between) > 0.025 {
						t.Errorf("Re %d, %s at %v is %v, between its neighbours %v", re, name, x[i], y[i], between)
					}
				}
			}
		}
	}
	if ghia[400].v[11] != suspect || abscissas[11] != 0.9063 {
		t.Error("the suspect value is elsewhere")
	}
}

// TestContour: the contours of a distance are circles.
func TestContour(t *testing.T) {
	const n, radius = 41, 13.3
	values := make([]float64, n*n)
	for i := range values {
		values[i] = math.Hypot(float64(i/n-20), float64(i%n-20))
	}
	around := 0.0
	for _, line := range contour(values, n, n, radius) {
		around += math.Hypot(line[1].X-line[0].X, line[1].Y-line[0].Y)
		for _, p := range line {
			if r := math.Hypot(p.X-20, p.Y-20); math.Abs(r-radius) > 0.02 {
				t.Fatal(p, r)
			}
		}
	}
	if math.Abs(around/(2*math.Pi*radius)-1) > 0.005 {
		t.Error(around)
	}
}

// TestReport writes snapshots of a plate that grows, and reads, compares and draws them.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "flow")
	a, err := drx.Create(name, drx.Spec{
		DType: dtype.Float32, Shape: []int{0, 8, 8, Components}, Lo: []int{0, 0, 0, 0}, FillValue: "NaN",
		Attrs: map[string]any{FlowAttr: Flow{Lid: 0.1, Viscosity: 0.012, Collision: "mrt"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for time := range 3 {
		_, err := a.Extend(0, 1)
		if err == nil && time > 0 {
			_, err = a.ExtendLow(1, 2)
		}
		if err == nil && time > 0 {
			_, err = a.Extend(2, 2)
		}
		all := a.Bounds()
		f := flowOf(all[1].Len(), all[2].Len(), func(y, x float64) (u, v float64) { return y * y, x * (x - 1) })
		if err == nil {
			err = drx.Write(a, nd.Sec(nd.At(time), all[1], all[2], all[3]), f.values)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	first, err := Read(name, 0)
	if err != nil || first.Rows != 8 || first.Cols != 8 || first.y != 4 || first.x != 0 {
		t.Fatal(first, err)
	}
	if v := first.At(0.5, 0.25); math.Abs(v[0]-0.25) > 0.02 || math.Abs(v[1]+0.1875) > 0.02 || v[2] != 1 {
		t.Error(v)
	}
	var text bytes.Buffer
	r := Report{Ghia: true, Picture: filepath.Join(dir, "p.png"), Animation: filepath.Join(dir, "a.png")}
	if err := r.Make(&text, name); err != nil || !strings.Contains(text.String(), "largest difference from Ghia 1982: u ") {
		t.Error(text.String(), err)
	}
	for _, file := range []string{r.Picture, r.Animation} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil || img.Bounds().Dx() < animatedSide || img.Bounds().Dx() != img.Bounds().Dy() && file == r.Animation {
			t.Error(file, img.Bounds(), err)
		}
		if file == r.Animation { // the rows below were added later
			if blank, full := img.At(100, img.Bounds().Dy()-5), img.At(100, 5); blank == full {
				t.Error(blank, full)
			}
		}
	}
	if err := (Report{Ghia: true}).Make(&text, filepath.Join(dir, "none")); err == nil {
		t.Error("no error for missing snapshots")
	}
	if _, err := flowOf(8, 9, func(y, x float64) (u, v float64) { return 0, 0 }).Compare(); err == nil {
		t.Error("compared a box that is not square")
	}
}
