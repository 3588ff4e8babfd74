package drxmp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"drx/internal/fileset"
	"drx/internal/growtest"
	"drx/internal/state"
	"drx/internal/vfs"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
)

// The serial library makes the same files, so an array has the ID that it gets there.
func init() { state.NewID = func() string { return "history" } }

// testHistories: random arrays grow and are written in all ways, by all procs. What they read is
// what a model has, and the files are those that the serial library writes for the same history.
func testHistories(w *world) error {
	for seed := range amount(8) {
		seed += 8 * uint64(w.engine) // other seeds for each engine
		h := &history{world: w, rng: rand.New(rand.NewPCG(seed, 2007)), seed: seed}
		if err := h.run(); err != nil {
			return fmt.Errorf("history %d: %w\n%v", seed, err, h.log)
		}
	}
	return nil
}

// A history is the history of one array. All procs draw the same random numbers, so each knows what
// the others do.
type history struct {
	*world
	rng  *rand.Rand
	seed uint64
	log  []string

	spec   drx.Spec
	a      *drxmp.Array
	model  map[string][]byte // elements that were written, by index
	lo, hi []int
	serial []func(*drx.Array) error // the same changes with the serial library
	serie  uint64                   // number of the series of values
}

func (h *history) name(n string) string { return h.file(fmt.Sprintf("%s%d", n, h.seed)) }

func (h *history) run() error {
	h.draw()
	o := drxmp.Options{Distribution: h.distribution(), Engine: h.engine}
	a, err := drxmp.Create(h, h.name("a"), h.spec, o)
	if err != nil {
		return err
	}
	h.a = a
	for range 14 {
		if err := h.step(); err != nil {
			return err
		}
	}
	if err := h.check(); err != nil {
		return err
	}
	if err := h.a.Close(); err != nil {
		return err
	}
	h.serial = append(h.serial, (*drx.Array).Close)
	return h.once(h.compare)
}

// draw draws an array.
func (h *history) draw() {
	k := 1 + h.rng.IntN(3)
	s := drx.Spec{
		DType: dtype.All()[h.rng.IntN(len(dtype.All()))], Shape: make([]int, k), Lo: make([]int, k), ChunkShape: make([]int, k),
		Order: []drx.ElementOrder{drx.RowOrder, drx.ColOrder, drx.MortonOrder, drx.HilbertOrder}[h.rng.IntN(4)],
	}
	for d := range k {
		s.ChunkShape[d], s.Shape[d], s.Lo[d] = 1+h.rng.IntN(5), h.rng.IntN(12), h.rng.IntN(9)-4
	}
	if h.rng.IntN(2) == 0 && s.DType != dtype.Bool {
		s.FillValue = 7
	}
	if h.rng.IntN(3) == 0 {
		s.Align = 64
	}
	s.Durability = []drx.Durability{drx.DurabilityFull, drx.DurabilityFull, drx.DurabilityNoJournal, drx.DurabilityNone}[h.rng.IntN(4)]
	s.Cache = []int64{1 << 16, 1}[h.seed%2] // everything, or next to nothing
	s.Codec = []string{"none", "zstd:1", "lz4", "blosc:lz4:5:shuffle", "blosc:zstd:1:bitshuffle"}[h.rng.IntN(5)]
	if s.Codec != "none" && k == 1 { // chunks that are large enough to be shortened
		s.ChunkShape[0] += 128
		s.Shape[0] += 200
	}
	h.spec, h.model = s, map[string][]byte{}
	h.lo, h.hi = slices.Clone(s.Lo), make([]int, k)
	for d := range k {
		h.hi[d] = s.Lo[d] + s.Shape[d]
	}
	h.say("%v %v from %v in %v, %s, %s, durability %d", s.DType, s.Shape, s.Lo, s.ChunkShape, s.Order, s.Codec, s.Durability)
}

func (h *history) say(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

// distribution draws a distribution.
func (h *history) distribution() drxmp.Distribution {
	k := len(h.lo)
	d := drxmp.Distribution{Grid: slices.Repeat([]int{1}, k), Dims: make([]drxmp.DimDistribution, k)}
	d.Grid[h.rng.IntN(k)] = 1 + h.rng.IntN(h.Procs())
	if h.rng.IntN(3) == 0 {
		d.Grid = drxmp.BalancedGrid(h.Procs(), slices.Repeat([]int{6}, k))
	}
	for i := range d.Dims {
		switch h.rng.IntN(3) {
		case 0:
			d.Dims[i] = drxmp.BlockCyclic(1 + h.rng.IntN(3))
		case 1:
			cuts := make([]int, d.Grid[i]-1)
			for j := range cuts {
				cuts[j] = h.rng.IntN(6) - 1
			}
			slices.Sort(cuts)
			d.Dims[i] = drxmp.GenBlock(cuts...)
		}
	}
	h.say("distribution %v", d)
	return d
}

// section draws a section.
func (h *history) section() nd.Section {
	sec := make(nd.Section, len(h.lo))
	for d := range sec {
		a, b := h.lo[d]+h.rng.IntN(h.hi[d]-h.lo[d]+1), h.lo[d]+h.rng.IntN(h.hi[d]-h.lo[d]+1)
		sec[d] = nd.Span(min(a, b), max(a, b)).By(h.rng.IntN(4))
		if h.rng.IntN(3) == 0 {
			sec[d] = nd.Span(h.lo[d], h.hi[d])
		}
	}
	sec, _ = sec.Resolve(h.lo, h.hi)
	return sec
}

// split cuts a section into as many parts as there are procs, some of them empty.
func (h *history) split(sec nd.Section) []nd.Section {
	all := make([]nd.Section, h.Procs())
	d := h.rng.IntN(len(sec))
	n := sec[d].Len()
	from := 0
	for p := range all {
		to := from + h.rng.IntN(n-from+1)
		if p == len(all)-1 {
			to = n
		}
		all[p] = slices.Clone(sec)
		all[p][d].Lo = sec[d].Lo + from*sec[d].Step
		all[p][d].Hi = min(sec[d].Hi, sec[d].Lo+to*sec[d].Step)
		if from == to || all[p][d].Lo > all[p][d].Hi {
			all[p][d] = nd.Span(h.lo[d], h.lo[d])
		}
		from = to
	}
	h.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func (h *history) order() nd.Order {
	if h.rng.IntN(2) == 0 {
		return nil
	}
	return nd.Order(h.rng.Perm(len(h.lo)))
}

// each calls f with the indices of a section, in an order.
func each(sec nd.Section, order nd.Order, f func(i int, index []int)) {
	shape := sec.Shape()
	if slices.Contains(shape, 0) {
		return
	}
	dims := order.Dims(len(shape))
	lo, hi, at, index := make([]int, len(shape)), order.Apply(shape), make([]int, len(shape)), make([]int, len(shape))
	i := 0
	for more := true; more; more = nd.Next(at, lo, hi) {
		for j, d := range dims {
			index[d] = sec[d].Lo + at[j]*max(1, sec[d].Step)
		}
		f(i, index)
		i++
	}
}

// values draws values for a section, and stores them in the model.
func (h *history) values(sec nd.Section, order nd.Order) []byte {
	size := h.spec.DType.Size()
	n, _ := sec.Len()
	buf := make([]byte, n*size)
	h.serie++
	each(sec, order, func(i int, index []int) {
		var v [16]byte
		binary.LittleEndian.PutUint64(v[:], h.serie*0x9e3779b97f4a7c15+uint64(i)*0x1001)
		copy(v[8:], v[:8])
		if h.spec.DType == dtype.Bool {
			v[0] &= 1
		}
		copy(buf[i*size:], v[:size])
		h.model[fmt.Sprint(index)] = buf[i*size : (i+1)*size]
	})
	h.serial = append(h.serial, func(s *drx.Array) error { return s.WriteBytes(sec, buf, order) })
	return buf
}

// want returns the elements of a section in the model.
func (h *history) want(sec nd.Section, order nd.Order) []byte {
	size := h.spec.DType.Size()
	n, _ := sec.Len()
	buf := make([]byte, 0, n*size)
	each(sec, order, func(_ int, index []int) {
		v, ok := h.model[fmt.Sprint(index)]
		if !ok {
			v = h.a.FillValue()
		}
		buf = append(buf, v...)
	})
	return buf
}

// step makes a random change.
func (h *history) step() error {
	switch h.rng.IntN(9) {
	case 0, 1:
		return h.writeAll()
	case 2:
		return h.writeZones()
	case 3:
		return h.writeAlone()
	case 4, 5:
		return h.extend()
	case 6:
		return h.sync()
	case 7:
		return h.a.Redistribute(h.distribution())
	}
	return h.check()
}

func (h *history) sync() error {
	h.say("sync")
	h.serial = append(h.serial, (*drx.Array).Sync)
	return h.a.Sync()
}

func (h *history) extend() error {
	dim, by := h.rng.IntN(len(h.lo)), 1+h.rng.IntN(5)
	how := axial.High
	if h.rng.IntN(3) == 0 {
		how = axial.Low
		h.lo[dim] -= by
	} else {
		h.hi[dim] += by
	}
	h.say("extend %d by %d, %d", dim, by, how)
	h.serial = append(h.serial, func(s *drx.Array) error {
		_, err := growtest.Extend(s, dim, by, how)
		return err
	})
	want := nd.Box(h.lo, h.hi)
	if how == axial.Low {
		want[dim].Hi = want[dim].Lo + by
	} else {
		want[dim].Lo = want[dim].Hi - by
	}
	added, err := growtest.Extend(h.a, dim, by, how)
	if err == nil && added.String() != want.String() {
		err = fmt.Errorf("the section that is new is %v, want %v", added, want)
	}
	return err
}

// writeAll: each proc writes a part of a section, whoever owns it.
func (h *history) writeAll() error {
	order := h.order()
	var mine []byte
	var sec nd.Section
	secs := h.split(h.section())
	for p, s := range secs {
		if v := h.values(s, order); p == h.Proc() {
			mine, sec = v, s
		}
	}
	h.say("write %v, %v", secs, order)
	return h.a.WriteAllBytes(sec, mine, order)
}

// writeZones: each proc writes its zone.
func (h *history) writeZones() error {
	order := h.order()
	var mine []byte
	for p := range h.Procs() {
		z := h.a.Decomposition().Zone(p)
		buf := h.zoneValues(z, order)
		if p == h.Proc() {
			mine = buf
		}
	}
	h.say("write zones, %v", order)
	return h.a.WriteAllBytes(nil, mine, order)
}

// zoneValues draws values for a zone, and stores them in the model.
func (h *history) zoneValues(z *drxmp.Zone, order nd.Order) []byte {
	var buf []byte
	for _, sec := range z.Sections() {
		h.values(sec, order)
	}
	eachInZone(z, order, func(index []int) { buf = append(buf, h.model[fmt.Sprint(index)]...) })
	return buf
}

// eachInZone calls f with the indices of a zone, in the order of its memory.
func eachInZone(z *drxmp.Zone, order nd.Order, f func(index []int)) {
	rank := len(z.Shape())
	lists := make([][]int, rank)
	for _, sec := range z.Sections() {
		for d, r := range sec {
			for i := r.Lo; i < r.Hi; i++ {
				lists[d] = append(lists[d], i)
			}
		}
	}
	all := make(nd.Section, rank)
	for d := range lists {
		slices.Sort(lists[d])
		lists[d] = slices.Compact(lists[d])
		all[d] = nd.Span(0, len(lists[d]))
	}
	each(all, order, func(_ int, at []int) {
		index := make([]int, rank)
		for d, i := range at {
			index[d] = lists[d][i]
		}
		f(index)
	})
}

// writeAlone: each proc writes a section by itself and reads it. All procs see the elements after
// the next collective call that delivers them.
func (h *history) writeAlone() error {
	order := h.order()
	secs := h.split(h.section())
	h.say("write alone %v, %v", secs, order)
	var mine []byte
	for p, s := range secs {
		if v := h.values(s, order); p == h.Proc() {
			mine = v
		}
	}
	sec := secs[h.Proc()]
	if err := h.a.WriteBytes(sec, mine, order); err != nil {
		return err
	}
	got := make([]byte, len(mine))
	if err := h.a.ReadBytes(sec, got, nil); err != nil {
		return err
	}
	if !bytes.Equal(got, h.want(sec, nil)) {
		return fmt.Errorf("what was written alone to %v is %x, want %x", sec, got, h.want(sec, nil))
	}
	switch h.rng.IntN(4) {
	case 0:
		return h.writeAll()
	case 1:
		return h.extend()
	case 2:
		return h.a.Redistribute(h.distribution())
	}
	return h.sync()
}

// check reads sections, the zones, and the whole array.
func (h *history) check() error {
	h.say("check")
	order := h.order()
	var sec nd.Section
	for p := range h.Procs() {
		if s := h.section(); p == h.Proc() {
			sec = s
		}
	}
	want := h.want(sec, order)
	got := make([]byte, len(want))
	if err := h.a.ReadAllBytes(sec, got, order); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("section %v, %v is %x, want %x", sec, order, got, want)
	}
	var zone []byte
	eachInZone(h.a.Zone(), order, func(index []int) {
		i := make(nd.Section, len(index))
		for d := range i {
			i[d] = nd.At(index[d])
		}
		zone = append(zone, h.want(i, nil)...)
	})
	got = make([]byte, len(zone))
	if err := h.a.ReadAllBytes(nil, got, order); err != nil {
		return err
	}
	if !bytes.Equal(got, zone) {
		return fmt.Errorf("zone of proc %d, %v is %x, want %x", h.Proc(), order, got, zone)
	}
	all := h.want(nd.Box(h.lo, h.hi), nil)
	got = make([]byte, len(all))
	if err := h.a.ReadBytes(h.a.Bounds(), got, nil); err != nil {
		return err
	}
	if !bytes.Equal(got, all) {
		return fmt.Errorf("array is %x, want %x", got, all)
	}
	return h.Barrier() // no proc writes before all have read
}

// compare makes the same steps with the serial library, and compares the files.
func (h *history) compare() error {
	s, err := drx.Create(h.name("s"), h.spec)
	if err != nil {
		return err
	}
	for i, f := range h.serial {
		if err := f(s); err != nil {
			return fmt.Errorf("serial step %d: %w", i, err)
		}
	}
	a, err := drx.Open(h.name("a"), drx.Options{})
	if err != nil {
		return err
	}
	defer a.Close()
	report, err := a.Verify(context.Background(), nil)
	if err != nil || len(report.Damaged) > 0 {
		return fmt.Errorf("verify: %v, %w", report, err)
	}
	return sameFiles(h.name("a"), h.name("s"), int(a.Layout().SlotBytes))
}

// sameFiles compares the files of two arrays, or the corresponding parts of two arrays in one file.
// Two things are not compared. The table may have entries of zeros behind that of the last chunk,
// because it grows ahead. And the upper 12 bits of the generation in an entry count how often the
// chunk was stored, which depends on how long chunks stayed in memory. Nor are the bytes of a slot
// behind its compressed chunk.
func sameFiles(a, b string, slot int) error {
	x, err := contents(a)
	if err != nil {
		return err
	}
	y, err := contents(b)
	if err != nil {
		return err
	}
	clearRests(x, slot)
	clearRests(y, slot)
	for what := range x {
		if !bytes.Equal(x[what], y[what]) {
			return fmt.Errorf("the %s of %s has %d bytes, serially written %d, or others", what, a, len(x[what]), len(y[what]))
		}
	}
	for _, name := range []string{a, b} {
		if left, _ := filepath.Glob(name + ".xj*"); len(left) > 0 {
			return fmt.Errorf("left behind: %v", left)
		}
	}
	return nil
}

// contents returns the bytes of an array's log, principal array, table and presence map: for an
// array in one file, without the zeros of the space reserved behind them.
func contents(name string) (map[string][]byte, error) {
	files, err := fileset.OpenCurrent(vfs.OS, name, true)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	all := map[string][]byte{}
	for what, f := range map[string]vfs.File{"log": files.Log, "data": files.Data, "table": files.Table, "presence map": files.Presence} {
		size, err := f.Size()
		if err != nil {
			return nil, err
		}
		all[what] = make([]byte, size)
		if _, err := f.ReadAt(all[what], 0); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if fileset.OneFile(name) && what != "table" {
			all[what] = bytes.TrimRight(all[what], "\x00")
		}
	}
	all["table"] = uncounted(all["table"])
	return all, nil
}

// clearRests sets the bytes behind the chunk in each slot to zero.
func clearRests(of map[string][]byte, slot int) {
	data := of["data"]
	for e := range slices.Chunk(of["table"], 16) {
		n := min(len(data), slot)
		if len(e) == 16 {
			clear(data[min(n, int(binary.LittleEndian.Uint32(e[4:]))):n])
		}
		data = data[n:]
	}
	of["data"] = bytes.TrimRight(of["data"], "\x00")
}

// uncounted returns a table without the counts of stores, and without the checksums that cover
// them.
func uncounted(table []byte) []byte {
	for n := len(table) - 16; n >= 0 && [16]byte(table[n:]) == [16]byte{}; n -= 16 {
		table = table[:n]
	}
	for e := range slices.Chunk(table, 16) {
		if len(e) == 16 {
			e[10] &= 0x0f
			e[11] = 0
			clear(e[12:])
		}
	}
	return table
}
