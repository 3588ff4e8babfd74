package d2q9

// The method a second time, written as plainly as in textbooks: whole populations, a matrix of
// moments, and particles that are pushed from node to node.

// moment are the rows of the matrix of Lallemand and Luo 2000: density, energy, its square, flux
// and energy flux along x and y, stress.
var moment = [9][9]float64{
	{1, 1, 1, 1, 1, 1, 1, 1, 1},
	{-4, -1, -1, -1, -1, 2, 2, 2, 2},
	{4, -2, -2, -2, -2, 1, 1, 1, 1},
	{0, 1, 0, -1, 0, 1, -1, -1, 1},
	{0, -2, 0, 2, 0, 1, -1, -1, 1},
	{0, 0, 1, 0, -1, 1, 1, -1, -1},
	{0, 0, -2, 0, 2, 1, 1, -1, -1},
	{0, 1, -1, 1, -1, 0, 0, 0, 0},
	{0, 0, 0, 0, 0, 1, -1, 1, -1},
}

// A plainBox is a box with a lid; f[y][x][i] are whole populations.
type plainBox struct {
	f              [][][9]float64
	lid, viscosity float64
	mrt            bool
}

func newPlainBox(rows, cols int, lid, viscosity float64, mrt bool) *plainBox {
	b := &plainBox{make([][][9]float64, rows), lid, viscosity, mrt}
	for y := range b.f {
		b.f[y] = make([][9]float64, cols)
		for x := range b.f[y] {
			b.f[y][x] = weight
		}
	}
	return b
}

func (b *plainBox) step() {
	rows, cols := len(b.f), len(b.f[0])
	next := newPlainBox(rows, cols, 0, 0, false).f
	for y := range rows {
		for x := range cols {
			for i := range 9 {
				ty, tx := y+cy[i], x+cx[i]
				switch {
				case ty >= rows:
					next[y][x][opposite[i]] = b.f[y][x][i] - 6*weight[i]*float64(cx[i])*b.lid
				case ty < 0 || tx < 0 || tx >= cols:
					next[y][x][opposite[i]] = b.f[y][x][i]
				default:
					next[ty][tx][i] = b.f[y][x][i]
				}
			}
		}
	}
	for y := range rows {
		for x := range cols {
			b.collide(&next[y][x])
		}
	}
	b.f = next
}

func (b *plainBox) collide(f *[9]float64) {
	rho, jx, jy := 0.0, 0.0, 0.0
	for i := range 9 {
		rho, jx, jy = rho+f[i], jx+float64(cx[i])*f[i], jy+float64(cy[i])*f[i]
	}
	tau := 3*b.viscosity + 0.5
	if !b.mrt {
		u, v := jx/rho, jy/rho
		for i := range 9 {
			cu := float64(cx[i])*u + float64(cy[i])*v
			f[i] -= (f[i] - weight[i]*rho*(1+3*cu+4.5*cu*cu-1.5*(u*u+v*v))) / tau
		}
		return
	}
	j2 := (jx*jx + jy*jy) / rho
	equal := [9]float64{rho, -2*rho + 3*j2, rho - 3*j2, jx, -jx, jy, -jy, (jx*jx - jy*jy) / rho, jx * jy / rho}
	q := 8 * (2 - 1/tau) / (8 - 1/tau)
	rate := [9]float64{0, 1.64, 1.54, 0, q, 0, q, 1 / tau, 1 / tau}
	before := *f
	for k := range 9 {
		m, square := 0.0, 0.0
		for i := range 9 {
			m, square = m+moment[k][i]*before[i], square+moment[k][i]*moment[k][i]
		}
		for i := range 9 {
			f[i] += moment[k][i] / square * rate[k] * (equal[k] - m)
		}
	}
}
