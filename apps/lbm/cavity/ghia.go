package cavity

import (
	"fmt"
	"io"
	"math"
)

// A reference has published velocities on the centrelines of a square cavity, in speeds of the lid:
// u on the vertical one, at the heights of heights, and v on the horizontal one, at abscissas.
type reference struct {
	name string
	u, v [17]float64
}

// heights and abscissas are where the velocities are given.
var (
	heights = [17]float64{
		0, 0.0547, 0.0625, 0.0703, 0.1016, 0.1719, 0.2813, 0.4531, 0.5, 0.6172, 0.7344, 0.8516, 0.9531, 0.9609, 0.9688, 0.9766, 1,
	}
	abscissas = [17]float64{
		0, 0.0625, 0.0703, 0.0781, 0.0938, 0.1563, 0.2266, 0.2344, 0.5, 0.8047, 0.8594, 0.9063, 0.9453, 0.9531, 0.9609, 0.9688, 1,
	}
)

// suspect is a value of table II, for Reynolds number 400, that does not fit its neighbours. All
// copies of the table have it, and no published solution agrees with it. It is printed, but not
// counted.
const suspect = -0.23827

// ghia are tables I and II of U. Ghia, K. N. Ghia and C. T. Shin, "High-Re solutions for
// incompressible flow using the Navier-Stokes equations and a multigrid method", Journal of
// Computational Physics 48 (1982), by Reynolds number.
var ghia = map[int]reference{
	100: {
		"Ghia 1982",
		[17]float64{
			0, -0.03717, -0.04192, -0.04775, -0.06434, -0.10150, -0.15662, -0.21090, -0.20581, -0.13641, 0.00332, 0.23151, 0.68717,
			0.73722, 0.78871, 0.84123, 1,
		},
		[17]float64{
			0, 0.09233, 0.10091, 0.10890, 0.12317, 0.16077, 0.17507, 0.17527, 0.05454, -0.24533, -0.22445, -0.16914, -0.10313,
			-0.08864, -0.07391, -0.05906, 0,
		},
	},
	400: {
		"Ghia 1982",
		[17]float64{
			0, -0.08186, -0.09266, -0.10338, -0.14612, -0.24299, -0.32726, -0.17119, -0.11477, 0.02135, 0.16256, 0.29093, 0.55892,
			0.61756, 0.68439, 0.75837, 1,
		},
		[17]float64{
			0, 0.18360, 0.19713, 0.20920, 0.22965, 0.28124, 0.30203, 0.30174, 0.05186, -0.38598, -0.44993, suspect, -0.22847,
			-0.19254, -0.15663, -0.12146, 0,
		},
	},
	1000: {
		"Ghia 1982",
		[17]float64{
			0, -0.18109, -0.20196, -0.22220, -0.29730, -0.38289, -0.27805, -0.10648, -0.06080, 0.05702, 0.18719, 0.33304, 0.46604,
			0.51117, 0.57492, 0.65928, 1,
		},
		[17]float64{
			0, 0.27485, 0.29012, 0.30353, 0.32627, 0.37095, 0.33075, 0.32235, 0.02526, -0.31966, -0.42665, -0.51550, -0.39188,
			-0.33714, -0.27669, -0.21388, 0,
		},
	},
}

// botella is from tables 9 and 10 of O. Botella and R. Peyret, "Benchmark spectral results on the
// lid-driven cavity flow", Computers & Fluids 27 (1998), with the lid moving to the east: spectral
// accuracy, for Reynolds number 1000.
var botella = reference{
	"Botella 1998",
	[17]float64{
		0, -0.1812881, -0.2023300, -0.2228955, -0.3004561, -0.3885691, -0.2803696, -0.1081999, -0.0620561, 0.0570178, 0.1886747,
		0.3372212, 0.4723329, 0.5169277, 0.5808359, 0.6644227, 1,
	},
	[17]float64{
		0, 0.2807056, 0.2962703, 0.3099097, 0.3330442, 0.3769189, 0.3339924, 0.3253592, 0.0257995, -0.3202137, -0.4264545,
		-0.5264392, -0.4103754, -0.3553213, -0.2936869, -0.2279225, 0,
	},
}

// A Comparison has velocities beside a reference's, and the largest differences of u and v with
// their positions: NaN if a velocity is NaN. The suspect value does not count.
type Comparison struct {
	Name     string      // of the reference
	U, V     [17]float64 // velocities where the reference has them, in speeds of the lid
	DU, DV   float64     // the largest differences
	AtU, AtV float64     // the height of DU, and the abscissa of DV, in widths of the box
	reference
}

// references returns the published velocities for the Reynolds number of the box.
func (f *Field) references() (known []reference, err error) {
	re := f.Reynolds()
	table, ok := ghia[int(math.Round(re))]
	if !ok || f.Rows != f.Cols || f.Rows < 4 {
		return nil, fmt.Errorf("Reynolds number %.4g, %d x %d nodes: the tables are for 100, 400 and 1000, and for squares", re, f.Cols, f.Rows)
	}
	if math.Round(re) == 1000 {
		return []reference{table, botella}, nil
	}
	return []reference{table}, nil
}

// Compare interpolates the velocities on the centrelines at the abscissas of the references for the
// Reynolds number of the box: Ghia, Ghia and Shin's for 100, 400 and 1000, and Botella and Peyret's
// for 1000. There are none for others, nor for boxes that are not square.
func (f *Field) Compare() (all []Comparison, err error) {
	known, err := f.references()
	for _, r := range known {
		all = append(all, f.compare(r))
	}
	return all, err
}

func (f *Field) compare(r reference) Comparison {
	c := Comparison{Name: r.name, reference: r}
	u := profile(f.Rows, 1, func(y int) float64 { return middle(f.Cols, func(x int) float64 { return f.value(y, x, 0) }) })
	v := profile(f.Cols, 0, func(x int) float64 { return middle(f.Rows, func(y int) float64 { return f.value(y, x, 1) }) })
	for i := range heights {
		c.U[i], c.V[i] = u(heights[i]), v(abscissas[i])
		if d := math.Abs(c.U[i] - r.u[i]); d > c.DU || math.IsNaN(d) {
			c.DU, c.AtU = d, heights[i]
		}
		if d := math.Abs(c.V[i] - r.v[i]); r.v[i] != suspect && (d > c.DV || math.IsNaN(d)) {
			c.DV, c.AtV = d, abscissas[i]
		}
	}
	return c
}

// middle returns the value half-way along n nodes, by cubic interpolation if that is between two.
func middle(n int, at func(int) float64) float64 {
	if n%2 == 1 {
		return at(n / 2)
	}
	return (9*(at(n/2-1)+at(n/2)) - at(n/2-2) - at(n/2+1)) / 16
}

// profile returns the function that goes through the values at the nodes, and at the walls, where
// it is 0 and end, by cubic interpolation. The walls are at 0 and 1.
func profile(n int, end float64, at func(int) float64) func(float64) float64 {
	xs, ys := []float64{0}, []float64{0}
	for i := range n {
		xs, ys = append(xs, (float64(i)+0.5)/float64(n)), append(ys, at(i))
	}
	xs, ys = append(xs, 1), append(ys, end)
	return func(x float64) (sum float64) {
		first := min(max(int(math.Floor(x*float64(n)+0.5))-1, 0), len(xs)-4)
		for i := first; i < first+4; i++ {
			term := ys[i]
			for j := first; j < first+4; j++ {
				if j != i {
					term *= (x - xs[j]) / (xs[i] - xs[j])
				}
			}
			sum += term
		}
		return sum
	}
}

// Reynolds returns the Reynolds number of the box, by its width.
func (f *Field) Reynolds() float64 { return f.Lid * float64(f.Cols) / f.Viscosity }

// Print prints the velocities beside those of the reference, in speeds of the lid.
func (c Comparison) Print(w io.Writer) {
	fmt.Fprintf(w, "       y         u  %-12s     diff          x         v  %-12s     diff\n", c.Name, c.Name)
	for i := range heights {
		mark := ""
		if c.v[i] == suspect {
			mark = "  suspect, not counted"
		}
		fmt.Fprintf(w, "  %.4f  %8.5f      %8.5f  %6.3f %%     %.4f  %8.5f      %8.5f  %6.3f %%%s\n", heights[i], c.U[i], c.u[i],
			100*(c.U[i]-c.u[i]), abscissas[i], c.V[i], c.v[i], 100*(c.V[i]-c.v[i]), mark)
	}
	fmt.Fprintf(w, "largest difference from %s: u %.3f %% at y %.4f, v %.3f %% at x %.4f\n", c.Name, 100*c.DU, c.AtU, 100*c.DV, c.AtV)
}
