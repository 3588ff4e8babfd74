package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/internal/result"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

func (c *command) stat() *cobra.Command {
	return &cobra.Command{
		Use:   "stat ARRAY",
		Short: "Show the minimum, the maximum and the mean of an array",
		Long: `Print the number of elements, the minimum and the maximum, the mean and the standard deviation; each
process computes those of its zone. Elements that hold the fill value are empty cells and left out, as drx sum
does it, unless the fill value is zero. If it is NaN, every NaN is an empty cell. Other NaN are counted apart.
Of complex elements the modulus counts.`,
		Example: `  mpirun -n 4 drxmp stat radar`,
		Args:    exactly("ARRAY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd, func(p *process) error {
				return p.with(args[0], drx.Options{}, func(a *drxmp.Array) error { return p.stat(a) })
			})
		},
	}
}

// moments are the count, the extremes and the sums of the numbers seen so far.
type moments struct {
	n, nan    int64
	empty     int64 // cells that hold the fill value
	min, max  float64
	mean, sum float64 // sum adds up the squared distances from the mean
}

// add adds the cells in buf, except for empty ones; empty is nil for arrays that have none.
func (m *moments) add(t dtype.DType, buf []byte, empty func(cell []byte) bool) {
	for ; len(buf) > 0; buf = buf[t.Size():] {
		if empty != nil && empty(buf[:t.Size()]) {
			m.empty++
			continue
		}
		x := t.Float64(buf)
		if math.IsNaN(x) {
			m.nan++
			continue
		}
		m.n++
		d := x - m.mean
		m.mean += d / float64(m.n)
		m.sum += d * (x - m.mean)
		m.min, m.max = min(m.min, x), max(m.max, x)
	}
}

// addEqual adds n cells that are equal.
func (m *moments) addEqual(t dtype.DType, cell []byte, n int64, empty func(cell []byte) bool) {
	if n == 0 {
		return
	}
	one := moments{min: m.min, max: m.max}
	one.add(t, cell, empty)
	m.min, m.max = one.min, one.max
	m.empty, m.nan = m.empty+n*one.empty, m.nan+n*one.nan
	if one.n == 0 {
		return
	}
	d, all := one.mean-m.mean, m.n+n
	share := float64(n) / float64(all)
	m.mean += d * share
	m.sum += d * d * float64(m.n) * share
	m.n = all
}

func (p *process) stat(a *drxmp.Array) error {
	m := moments{min: math.Inf(1), max: math.Inf(-1)}
	empty := cube.EmptyCell(a.DType(), a.FillValue())
	absent := int64(a.Zone().Len())
	err := eachWrittenPart(a, func(part nd.Section) error {
		n, _ := part.Len() // of a section of the array
		absent -= int64(n)
		buf := make([]byte, n*a.DType().Size())
		if err := a.ReadBytes(part, buf, nil); err != nil {
			return err
		}
		m.add(a.DType(), buf, empty)
		return nil
	})
	m.addEqual(a.DType(), a.FillValue(), absent, empty)
	if err := p.Agree("read", err); err != nil {
		return err
	}
	all, err := p.merge(m)
	if err != nil {
		return err
	}
	if all.n == 0 {
		all.min, all.max, all.mean = math.NaN(), math.NaN(), math.NaN()
	}
	deviation := math.Sqrt(all.sum / float64(all.n))
	r := statResult{
		Name: a.Name(), Count: all.n + all.nan + all.empty, Empty: all.empty, NaN: all.nan, Min: result.Float(all.min), Max: result.Float(all.max),
		Mean: result.Float(all.mean), Deviation: result.Float(deviation),
	}
	return p.reportResult(r, func() {
		if all.n == 0 {
			p.reportf("%s: %d elements, %snone a number\n", a.Name(), all.nan+all.empty, all.emptyText())
			return
		}
		p.reportf("%s: %d elements, %s%d NaN, min %g, max %g, mean %.6g, deviation %.6g\n",
			a.Name(), r.Count, all.emptyText(), all.nan, all.min, all.max, all.mean, deviation)
	})
}

// A statResult is the output of stat as JSON. If no cell is a number, all fields after NaN are NaN.
type statResult struct {
	Name      string       `json:"name"`
	Count     int64        `json:"count"`
	Empty     int64        `json:"empty"`
	NaN       int64        `json:"nan"`
	Min       result.Float `json:"min"`
	Max       result.Float `json:"max"`
	Mean      result.Float `json:"mean"`
	Deviation result.Float `json:"deviation"`
}

// emptyText returns the number of empty cells for the line of stat, if there are any.
func (m moments) emptyText() string {
	if m.empty == 0 {
		return ""
	}
	return fmt.Sprintf("%d empty, ", m.empty)
}

// merge combines the moments of all processes by the formula of Chan, Golub and LeVeque (1979),
// which does not lose digits as sums of squares would.
func (p *process) merge(m moments) (moments, error) {
	counts, least, most := []int64{m.n, m.nan, m.empty}, []float64{m.min}, []float64{m.max}
	total := []float64{m.mean * float64(m.n)}
	for _, err := range []error{
		par.AllReduce(p, counts, par.Sum), par.AllReduce(p, least, par.Min), par.AllReduce(p, most, par.Max),
		par.AllReduce(p, total, par.Sum),
	} {
		if err != nil {
			return m, err
		}
	}
	all := moments{n: counts[0], nan: counts[1], empty: counts[2], min: least[0], max: most[0], mean: total[0] / float64(max(1, counts[0]))}
	d := m.mean - all.mean
	sum := []float64{m.sum + float64(m.n)*d*d}
	err := par.AllReduce(p, sum, par.Sum)
	all.sum = sum[0]
	return all, err
}

// partBytes is the approximate number of bytes of an array that a process has in memory at a time.
const partBytes = 32 << 20

// eachWrittenPart calls f with the written chunks that this process owns, in parts of at most about
// partBytes.
func eachWrittenPart(a *drxmp.Array, f func(part nd.Section) error) error {
	for _, sec := range a.Zone().Sections() {
		for chunk, err := range a.Parts(drx.Walk{Section: sec, Written: true}) {
			if err != nil {
				return err
			}
			for part := range chunk.Section.Tiles(a.ChunkShape(), partBytes/a.DType().Size()) {
				if err := f(part); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
