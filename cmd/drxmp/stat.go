package main

import (
	"math"

	"github.com/spf13/cobra"

	"drx"
	"drx/drxmp"
	"drx/dtype"
	"drx/nd"
	"drx/par"
)

func (c *command) stat() *cobra.Command {
	return &cobra.Command{
		Use:   "stat ARRAY",
		Short: "Show the minimum, the maximum and the mean of an array",
		Long: `Print the number of elements, the least and the greatest, the mean and the standard deviation, each
process taking its zone. Elements that are no number (NaN) are counted apart. Of complex elements
it is the real parts.`,
		Example: `  mpirun -n 4 drxmp stat radar`,
		Args:    exactly("ARRAY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd, func(p *process) error {
				return p.with(args[0], drx.Options{}, func(a *drxmp.Array) error { return p.stat(a) })
			})
		},
	}
}

// moments are what is known of some numbers.
type moments struct {
	n, nan    int64
	min, max  float64
	mean, sum float64 // sum is that of the squares of the distances from the mean
}

func (m *moments) add(t dtype.DType, buf []byte) {
	for ; len(buf) > 0; buf = buf[t.Size():] {
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

func (p *process) stat(a *drxmp.Array) error {
	m := moments{min: math.Inf(1), max: math.Inf(-1)}
	var err error
	for _, sec := range a.Zone().Sections() {
		if err == nil {
			err = eachSlab(a, sec, func(slab nd.Section, bytes int) error {
				buf := make([]byte, bytes)
				err := a.ReadBytes(slab, buf, nil)
				if err == nil {
					m.add(a.DType(), buf)
				}
				return err
			})
		}
	}
	if err := p.Agree("read", err); err != nil {
		return err
	}
	all, err := p.merge(m)
	if err != nil {
		return err
	}
	if all.n == 0 {
		p.reportf("%s: %d elements, none a number\n", a.Name(), all.nan)
		return nil
	}
	p.reportf("%s: %d elements, %d NaN, min %g, max %g, mean %.6g, deviation %.6g\n",
		a.Name(), all.n+all.nan, all.nan, all.min, all.max, all.mean, math.Sqrt(all.sum/float64(all.n)))
	return nil
}

// merge puts what all processes know together (Chan, Golub and LeVeque 1979).
func (p *process) merge(m moments) (moments, error) {
	counts, least, most := []int64{m.n, m.nan}, []float64{m.min}, []float64{m.max}
	total := []float64{m.mean * float64(m.n)}
	for _, err := range []error{
		par.AllReduce(p, counts, par.Sum), par.AllReduce(p, least, par.Min), par.AllReduce(p, most, par.Max),
		par.AllReduce(p, total, par.Sum),
	} {
		if err != nil {
			return m, err
		}
	}
	all := moments{n: counts[0], nan: counts[1], min: least[0], max: most[0], mean: total[0] / float64(max(1, counts[0]))}
	d := m.mean - all.mean
	sum := []float64{m.sum + float64(m.n)*d*d}
	err := par.AllReduce(p, sum, par.Sum)
	all.sum = sum[0]
	return all, err
}

// slabBytes is how many bytes of an array a process has in memory at a time, more or less.
const slabBytes = 32 << 20

// eachSlab cuts a section, along the edges of chunks, into slabs of bounded size, and calls f for each
// with its bytes.
func eachSlab(a *drxmp.Array, sec nd.Section, f func(slab nd.Section, bytes int) error) error {
	n, err := sec.Len()
	if err != nil || n == 0 {
		return err
	}
	bytes, fits := nd.Mul(n, a.DType().Size())
	longest, most := 0, 0
	chunk := a.ChunkShape()
	for d, r := range sec {
		if chunks := nd.CeilDiv(r.Hi, chunk[d]) - nd.FloorDiv(r.Lo, chunk[d]); chunks > most {
			longest, most = d, chunks
		}
	}
	if fits && bytes <= slabBytes || most <= 1 {
		return f(sec, bytes)
	}
	cut := (nd.FloorDiv(sec[longest].Lo, chunk[longest]) + most/2) * chunk[longest]
	low, high := append(nd.Section(nil), sec...), append(nd.Section(nil), sec...)
	low[longest].Hi, high[longest].Lo = cut, cut
	if err := eachSlab(a, low, f); err != nil {
		return err
	}
	return eachSlab(a, high, f)
}
