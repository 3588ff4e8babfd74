package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"drx"
	"drx/dtype"
)

// elementOrders repeats figure 5.4.2 of the thesis on disk: for each element order it reads single
// elements of an array that is extended at intervals, and boxes.
var elementOrders = experiment{
	name: "element-orders", title: "Arrays on disk by the order inside of chunks", figure: "5.4.2",
	plots: []plot{
		{metric: "access 2-d", title: "Random elements on disk, 2-D", x: "extensions in between", y: "ns per element"},
		{metric: "access 3-d", title: "Random elements on disk, 3-D", x: "extensions in between", y: "ns per element"},
		{metric: "boxes 2-d", title: "Boxes on disk, 2-D, chunks of 256 x 256", x: "box", y: "time per box (µs)", logY: true},
		{metric: "boxes 3-d", title: "Boxes on disk, 3-D, chunks of 32 x 32 x 32", x: "box", y: "time per box (µs)", logY: true},
	},
	run: runElementOrders,
}

// onDisk lists the element orders of arrays on disk.
var onDisk = []drx.ElementOrder{drx.RowOrder, drx.ColOrder, drx.MortonOrder, drx.HilbertOrder}

func runElementOrders(l *lab, t *table) error {
	for _, c := range []rankedArray{{2, 2048, 512, 256}, {3, 128, 64, 32}} {
		shape, chunk := uniform(c.rank, pick(l, c.edge, c.shortEdge)), uniform(c.rank, c.chunk)
		if err := growOrdered(l, t, shape, chunk); err != nil {
			return err
		}
		if err := boxesOrdered(l, t, shape, chunk); err != nil {
			return err
		}
	}
	return nil
}

// growOrdered reads elements at random, with extensions in between.
func growOrdered(l *lab, t *table, shape, chunk []int) error {
	reads := pick(l, 200_000, 20_000)
	for _, extensions := range pick(l, []int{0, 3, 12}, []int{0, 3}) {
		var es []entrant
		for _, order := range onDisk {
			es = append(es, entrant{series: string(order), run: func(seed uint64) (r result, err error) {
				c, err := newOrderedArray(l, order, shape, chunk)
				if err != nil {
					return r, err
				}
				defer func() { err = errors.Join(err, c.drop()) }()
				return c.interleave(seed, extensions, reads)
			}})
		}
		c := cell{metric: fmt.Sprintf("access %d-d", len(shape)), x: float64(extensions), unit: nanoseconds}
		if _, err := l.race(t, c, es...); err != nil {
			return err
		}
	}
	return nil
}

// boxesOrdered reads boxes at random, and whole chunks.
func boxesOrdered(l *lab, t *table, shape, chunk []int) (err error) {
	var arrays []*orderedArray
	defer func() {
		for _, c := range arrays {
			err = errors.Join(err, c.drop())
		}
	}()
	for _, order := range onDisk {
		c, err := newOrderedArray(l, order, shape, chunk)
		if err != nil {
			return err
		}
		arrays = append(arrays, c)
	}
	for _, size := range boxSizes(shape, chunk) {
		align := 1
		if slices.Equal(size, chunk) {
			align = chunk[0]
		}
		n := max(pick(l, 4_000_000, 100_000)/(volume(size)+100), 4)
		var es []entrant
		for _, c := range arrays {
			es = append(es, entrant{series: c.order, run: func(seed uint64) (result, error) { return c.boxes(seed, size, align, n) }})
		}
		c := cell{metric: fmt.Sprintf("boxes %d-d", len(shape)), column: commaed(size), unit: microseconds}
		if _, err := l.race(t, c, es...); err != nil {
			return err
		}
	}
	return nil
}

// boxSizes returns cubes of a few edges, a chunk, and the lines along the last and the first
// dimension.
func boxSizes(shape, chunk []int) [][]int {
	k := len(shape)
	var sizes [][]int
	for _, edge := range []int{3, 8, 16, 64} {
		if edge < chunk[0] {
			sizes = append(sizes, uniform(k, edge))
		}
	}
	sizes = append(sizes, chunk)
	for _, d := range []int{k - 1, 0} {
		line := uniform(k, 1)
		line[d] = shape[d]
		sizes = append(sizes, line)
	}
	return sizes
}

// An orderedArray is an array on disk in a given element order. It has been read once.
type orderedArray struct {
	child
	path, order string
}

func newOrderedArray(l *lab, order drx.ElementOrder, shape, chunk []int) (*orderedArray, error) {
	c := &orderedArray{path: filepath.Join(l.dir, "order-"+string(order)), order: string(order)}
	a, err := drx.Create(c.path, drx.Spec{
		DType: dtype.Float64, Shape: shape, ChunkShape: chunk, Order: order, Options: drx.Options{Durability: drx.DurabilityNone},
	})
	if err != nil {
		return nil, err
	}
	c.a = a
	err = c.writeSlabs()
	if err == nil {
		err = a.Sync()
	}
	if err == nil {
		_, err = drx.Read[float64](a, nil)
	}
	if err != nil {
		return nil, errors.Join(err, c.drop())
	}
	return c, nil
}

// drop closes the array and removes it.
func (c *orderedArray) drop() error { return errors.Join(c.a.Discard(), removeArray(c.path)) }

// interleave reads elements at random. It divides the reads into equal parts and extends the array
// by one chunk between them, the dimensions in turn. Only the reads are timed.
func (c *orderedArray) interleave(seed uint64, extensions, reads int) (result, error) {
	rank := c.a.Rank()
	at := make([]int, reads/(extensions+1)*rank)
	one, buf := uniform(rank, 1), make([]float64, 1)
	var spent clock
	total := 0.0
	for e := range extensions + 1 {
		if e > 0 {
			if err := c.growStep(growth{by: c.a.ChunkShape()}, e, (e-1)%rank); err != nil {
				return result{}, err
			}
			if err := c.a.Sync(); err != nil {
				return result{}, err
			}
		}
		starts(seed+uint64(1000*e), c.a.Shape(), one, 1, at)
		spent.begin()
		sum, err := c.elements(at, rank, buf)
		if err != nil {
			return result{}, err
		}
		spent.end(len(at) / rank)
		total += sum
	}
	return result{wall: spent.wall, cpu: spent.cpu, ops: float64(spent.ops), check: strconv.FormatFloat(total, 'g', -1, 64)}, nil
}

// boxes reads n boxes at random multiples of align.
func (c *orderedArray) boxes(seed uint64, size []int, align, n int) (result, error) {
	at, buf := make([]int, n*len(size)), make([]float64, volume(size))
	starts(seed, c.a.Shape(), size, align, at)
	var spent clock
	spent.begin()
	if _, err := c.sections(at, size, nil, buf); err != nil {
		return result{}, err
	}
	spent.end(n)
	return result{wall: spent.wall, cpu: spent.cpu, ops: float64(n), check: strconv.FormatUint(weightedSum(buf), 16)}, nil
}
