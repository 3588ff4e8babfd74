package drxmp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"drx/internal/fileset"
	"drx/internal/growtest"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// testFigure1: the file of figure 1 of Otoo and Rotem 2007, written by the serial library, is read
// as in their listing.
func testFigure1(w *world) error {
	name := w.file("figure1")
	if err := w.once(func() error { return writeFigure1(name) }); err != nil {
		return err
	}
	o := drxmp.Options{Engine: w.engine, Distribution: drxmp.Distribution{Grid: []int{1, w.Procs()}}}
	if w.Procs() == 4 {
		o.Distribution.Grid = []int{2, 2}
	}
	a, err := drxmp.Open(w, name, o)
	if err != nil {
		return err
	}
	zone := make([]float64, a.Zone().Len())
	if err := drxmp.ReadAll(a, nil, zone, nd.RowMajor); err != nil {
		return err
	}
	shape, sections := a.Zone().Shape(), a.Zone().Sections()
	for i, x := range zone {
		r, c := sections[0][0].Lo+i/shape[1], sections[0][1].Lo+i%shape[1]
		if x != float64(100*r+c) {
			return fmt.Errorf("element %d, %d of proc %d is %v", r, c, w.Proc(), x)
		}
	}
	file, memory := a.Zone().Chunks()
	good := fmt.Sprint(file) == "[6 7 8 12 13 14]" && slices.Equal(memory, []int{0, 2, 4, 1, 3, 5})
	if w.Procs() == 4 && w.Proc() == 1 && !good {
		return fmt.Errorf("proc 1 has chunks %v at %v", file, memory)
	}
	return a.Close()
}

func writeFigure1(name string) error {
	a, err := drx.Create(name, drx.Spec{DType: dtype.Float64, Shape: []int{2, 3}, ChunkShape: []int{2, 3}})
	if err != nil {
		return err
	}
	for _, dim := range []int{1, 0, 0, 1, 0, 1, 0} {
		if _, err := a.Extend(dim, a.ChunkShape()[dim]); err != nil {
			return err
		}
	}
	data := make([]float64, 120)
	for i := range data {
		data[i] = float64(100*(i/12) + i%12)
	}
	return errors.Join(drx.Write(a, nil, data), a.Close())
}

// testScan: procs read the file in the order of its chunks. Elements are where F* and its inverse
// say.
func testScan(w *world) error {
	name := w.file("figure1")
	if err := w.once(func() error { return writeFigure1(name) }); err != nil {
		return err
	}
	hint := map[string]string{"drx_engine": w.engine.String()}
	a, err := drxmp.Open(w, name, drxmp.Options{Hints: hint, Distribution: drxmp.Distribution{Dims: []drxmp.DimDistribution{drxmp.Cyclic(), drxmp.Block()}}})
	if err != nil {
		return err
	}
	next := axial.Number(20 * w.Proc() / w.Procs())
	sum := []float64{0}
	err = drxmp.Scan(a, func(q axial.Number, sec nd.Section, data []float64) error {
		number, ok := a.Grid().Number([]int{sec[0].Lo / 2, sec[1].Lo / 3})
		if q != next || !ok || q != number {
			return fmt.Errorf("chunk %d at %v, which is %d, want %d", q, sec, number, next)
		}
		next++
		for i, x := range data {
			if r, c := sec[0].Lo+i/3, sec[1].Lo+i%3; x != float64(100*r+c) {
				return fmt.Errorf("element %d, %d is %v", r, c, x)
			}
			sum[0] += x
		}
		return nil
	})
	if err != nil || next != axial.Number(20*(w.Proc()+1)/w.Procs()) {
		return fmt.Errorf("ended before chunk %d: %w", next, err)
	}
	if err := par.AllReduce(w, sum, par.Sum); err != nil || sum[0] != 54660 {
		return fmt.Errorf("the sum is %v, %w", sum, err)
	}
	if err := drxmp.Scan(a, func(axial.Number, nd.Section, []float64) error { return errPlanned }); !errors.Is(err, errPlanned) {
		return fmt.Errorf("its error: %w", err)
	}
	if err := drxmp.Scan(a, func(axial.Number, nd.Section, []int8) error { return nil }); !errors.Is(err, drx.ErrDType) {
		return fmt.Errorf("another type: %w", err)
	}
	return a.Close()
}

// testVerify: the proc whose share has a damaged chunk finds it, and all procs get the same report.
func testVerify(w *world) error {
	name := w.file("figure1")
	err := w.once(func() error {
		if err := writeFigure1(name); err != nil {
			return err
		}
		for _, chunk := range []axial.Number{19, 3} {
			if err := damage(name, chunk); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	a, err := drxmp.Open(w, name, drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	r, err := a.Verify(context.Background())
	if err != nil || r.Chunks != 20 || r.Written != 20 || len(r.Damaged) != 2 {
		return fmt.Errorf("report %+v, %w", r, err)
	}
	for i, q := range []axial.Number{3, 19} {
		if d := r.Damaged[i]; d.Number != q || !errors.Is(d.Err, drx.ErrCorrupt) || len(d.ChunkIndex) != 2 {
			return fmt.Errorf("damage %+v", d)
		}
	}
	return a.Close()
}

// damage changes a byte of a chunk of figure 1.
func damage(name string, chunk axial.Number) error {
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		return err
	}
	at := a.Layout().Offset(chunk)
	f, err := os.OpenFile(fileset.Data(name), os.O_RDWR, 0)
	if err := errors.Join(err, a.Close()); err != nil {
		return err
	}
	_, err = f.WriteAt([]byte{1}, at)
	return errors.Join(err, f.Close())
}

// testAttrs: attributes are set on all procs, and committed by one.
func testAttrs(w *world) error {
	name := w.file("a")
	a, err := drxmp.Create(w, name, drx.Spec{DType: dtype.Int8, Shape: []int{4}, Dims: []string{"t"}}, drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	err = errors.Join(a.SetAttr("units", "<m>"), a.SetAttr("gone", 1), a.Sync(), a.DeleteAttr("gone"))
	if err != nil || len(a.Attrs()) != 1 || string(a.Attrs()["units"]) != `"<m>"` || a.Dims()[0] != "t" {
		return fmt.Errorf("attributes %s, %w", a.Attrs(), err)
	}
	if err := a.SetAttr("bad", func() {}); err == nil || w.Procs() > 1 && a.SetAttr("own", w.Proc()) == nil {
		return errors.New("set an attribute that cannot be")
	}
	if err := a.Close(); err != nil {
		return err
	}
	return w.once(func() error {
		s, err := drx.Open(name, drx.Options{})
		if err == nil && len(s.Attrs()) != 1 {
			err = fmt.Errorf("in the file: %s", s.Attrs())
		}
		return errors.Join(err, s.Close())
	})
}

// rounds is how often the array of testOutside grows.
func rounds(w *world) int {
	if w.Procs() == 4 && w.engine == drxmp.Direct {
		return 100
	}
	return int(amount(10))
}

// testOutside: an array grows while a session reads it, extended by one of the procs and by another
// program.
func testOutside(w *world) error {
	name := w.file("outside")
	var other *writer
	if err := w.once(func() (err error) {
		a, err := drx.Create(name, drx.Spec{DType: dtype.Int64, Shape: []int{0, 3}, ChunkShape: []int{2, 2}, FillValue: -1})
		if err == nil {
			err = a.Close()
		}
		if err == nil {
			other, err = startWriter(name)
		}
		return err
	}); err != nil {
		return err
	}
	defer other.stop()
	a, err := drxmp.Open(w, name, drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	m, err := drxmp.NewGlobalArray[int64](a)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for round := range rounds(w) {
		dim, by, proc := rng.IntN(2), 1+rng.IntN(2), rng.IntN(w.Procs())
		extend := func() error { return outside(name, dim, by) }
		if rng.IntN(3) > 0 {
			proc, extend = 0, func() error { return other.extend(dim, by) }
		}
		if err := w.by(proc, extend); err != nil {
			return err
		}
		if changed, err := a.Refresh(); err != nil || !changed {
			return fmt.Errorf("round %d: changed %v, %w", round, changed, err)
		}
		if err := follow(a, m, round%10 == 9); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return errors.Join(m.Close(), a.Close())
}

// follow lets a global array follow a redistribution. It keeps its elements, and has all of them
// after Load.
func follow(a *drxmp.Array, m *drxmp.GlobalArray[int64], all bool) error {
	before := m.Decomposition()
	if err := m.Follow(); err != nil {
		return err
	}
	check := func(what string, known *drxmp.Decomposition) error {
		got := m.Local()
		i := 0
		for _, sec := range m.Zone().Sections() {
			for r := sec[0].Lo; r < sec[0].Hi; r++ {
				for c := sec[1].Lo; c < sec[1].Hi; c++ {
					want := value(r, c)
					if _, err := known.Owner(r, c); err != nil {
						want = -1
					}
					if got[i] != want {
						return fmt.Errorf("%s: element %d, %d is %d, want %d", what, r, c, got[i], want)
					}
					i++
				}
			}
		}
		return nil
	}
	if err := check("moved", before); err != nil {
		return err
	}
	if err := m.Load(); err != nil || !all {
		return err
	}
	return check("loaded", m.Decomposition())
}

func value(r, c int) int64 { return int64(1000*r + c) }

// outside extends an array with the serial library, and writes the new part.
func outside(name string, dim, by int) error {
	a, err := drx.Open(name, drx.Options{Write: true})
	if err != nil {
		return err
	}
	added, err := a.Extend(dim, by)
	if err != nil {
		return err
	}
	var data []int64
	for r := added[0].Lo; r < added[0].Hi; r++ {
		for c := added[1].Lo; c < added[1].Hi; c++ {
			data = append(data, value(r, c))
		}
	}
	return errors.Join(drx.Write(a, added, data), a.Close())
}

// A writer is another program that extends an array: this test, started once more.
type writer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// writerVariable is the environment variable that makes this program a writer, and names its array.
const writerVariable = "DRXMP_TEST_WRITER"

func startWriter(name string) (*writer, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &writer{cmd: exec.Command(program)}
	for _, v := range os.Environ() { // the writer is no process of mpirun
		if !strings.HasPrefix(v, "OMPI_") && !strings.HasPrefix(v, "PM") {
			w.cmd.Env = append(w.cmd.Env, v)
		}
	}
	w.cmd.Env = append(w.cmd.Env, writerVariable+"="+name, "GORACE=atexit_sleep_ms=0")
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.out = bufio.NewReader(out)
	return w, w.cmd.Start()
}

func (w *writer) extend(dim, by int) error {
	if _, err := fmt.Fprintln(w.in, dim, by); err != nil {
		return err
	}
	answer, err := w.out.ReadString('\n')
	if err == nil && answer != "done\n" {
		err = errors.New(answer)
	}
	return err
}

// stop ends the writer; w may be nil.
func (w *writer) stop() {
	if w != nil {
		_, _ = w.in.Close(), w.cmd.Wait()
	}
}

// beWriter is the main function of a writer.
func beWriter(name string) {
	for {
		var dim, by int
		if _, err := fmt.Scanln(&dim, &by); err != nil {
			return
		}
		answer := "done"
		if err := outside(name, dim, by); err != nil {
			answer = err.Error()
		}
		fmt.Println(answer)
	}
}

// testCompacted: the files are replaced while a session reads them.
func testCompacted(w *world) error {
	name := w.file("figure1")
	if err := w.once(func() error { return writeFigure1(name) }); err != nil {
		return err
	}
	a, err := drxmp.Open(w, name, drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	err = w.once(func() error {
		s, err := drx.Open(name, drx.Options{Write: true})
		if err != nil {
			return err
		}
		if _, err := s.Extend(0, 1); err != nil {
			return err
		}
		return errors.Join(s.Compact(context.Background(), nil), s.Close())
	})
	if err != nil {
		return err
	}
	if changed, err := a.Refresh(); err != nil || !changed {
		return fmt.Errorf("changed %v, %w", changed, err)
	}
	data := make([]float64, 11*12)
	if err := drxmp.ReadAll(a, a.Bounds(), data); err != nil {
		return err
	}
	for i, x := range data {
		if r, c := i/12, i%12; r < 10 && x != float64(100*r+c) || r == 10 && x != 0 {
			return fmt.Errorf("element %d, %d is %v", r, c, x)
		}
	}
	return a.Close()
}

// testAnotherDim: a program outside adds a dimension.
func testAnotherDim(w *world) error {
	name := w.file("figure1")
	if err := w.once(func() error { return writeFigure1(name) }); err != nil {
		return err
	}
	a, err := drxmp.Open(w, name, drxmp.Options{Engine: w.engine, Distribution: drxmp.Distribution{Grid: []int{w.Procs(), 1}}})
	if err != nil {
		return err
	}
	m, err := drxmp.NewGlobalArray[float64](a)
	if err != nil {
		return err
	}
	err = w.once(func() error {
		s, err := drx.Open(name, drx.Options{Write: true})
		if err != nil {
			return err
		}
		_, err = s.AddDim("t")
		if err == nil {
			_, err = s.Extend(2, 2)
		}
		return errors.Join(err, s.Close())
	})
	if err != nil {
		return err
	}
	if changed, err := a.Refresh(); err != nil || !changed {
		return fmt.Errorf("changed %v, %w", changed, err)
	}
	if err := m.Follow(); !errors.Is(err, drx.ErrRank) {
		return fmt.Errorf("memory of two dimensions: %w", err)
	}
	zone := make([]float64, a.Zone().Len())
	if err := drxmp.ReadAll(a, nil, zone); err != nil {
		return err
	}
	for _, sec := range a.Zone().Sections() {
		for i, x := range zone {
			r, c := sec[0].Lo+i/36, i/3%12
			if i%3 == 0 && x != float64(100*r+c) || i%3 > 0 && x != 0 {
				return fmt.Errorf("element %d, %d, %d is %v", r, c, i%3, x)
			}
		}
	}
	return errors.Join(m.Close(), a.Close())
}

// testReplaced: the files are replaced all the time, even while they are opened and refreshed.
func testReplaced(w *world) error {
	name := w.file("figure1")
	if err := w.once(func() error { return writeFigure1(name) }); err != nil {
		return err
	}
	ended := make(chan error, 1)
	if w.Proc() == 0 {
		go func() {
			s, err := drx.Open(name, drx.Options{Write: true, Durability: drx.DurabilityNone})
			for i := 0; err == nil && i < 8; i++ {
				err = s.Compact(context.Background(), nil)
			}
			ended <- errors.Join(err, s.Close())
		}()
	}
	for going := true; going; {
		a, err := drxmp.Open(w, name, drxmp.Options{Engine: w.engine})
		if err != nil {
			return err
		}
		if _, err := a.Refresh(); err != nil {
			return err
		}
		one := make([]float64, 1)
		if err := drxmp.ReadAll(a, nd.Sec(nd.At(9), nd.At(11)), one); err != nil || one[0] != 911 {
			return fmt.Errorf("read %v, %w", one, err)
		}
		if err := a.Close(); err != nil {
			return err
		}
		over := []int64{0}
		select {
		case err := <-ended:
			if err != nil {
				return err
			}
			over[0] = 1
		default:
		}
		if err := par.AllReduce(w, over, par.Max); err != nil {
			return err
		}
		going = over[0] == 0
	}
	return nil
}

// testRegrown: an extension does not bring back elements that were shrunk away.
func testRegrown(w *world) error {
	name := w.file("figure1")
	err := w.once(func() error {
		if err := writeFigure1(name); err != nil {
			return err
		}
		s, err := drx.Open(name, drx.Options{Write: true})
		if err != nil {
			return err
		}
		return errors.Join(s.Shrink(0, 5), s.Close())
	})
	if err != nil {
		return err
	}
	a, err := drxmp.Open(w, name, drxmp.Options{Options: drx.Options{Write: true}, Engine: w.engine})
	if err != nil {
		return err
	}
	if changed, err := a.Refresh(); changed || err != nil { // no other program writes
		return fmt.Errorf("changed %v, %w", changed, err)
	}
	one := []float64{-1}
	at := nd.Sec(nd.At(4), nd.At(w.Proc()))
	if err := drxmp.Write(a, at, one); err != nil {
		return err
	}
	added, err := a.Extend(0, 3)
	if err != nil || added.String() != "5:8,0:12" {
		return fmt.Errorf("new is %v, %w", added, err)
	}
	data := make([]float64, 36)
	if err := drxmp.ReadAll(a, added, data); err != nil {
		return err
	}
	if slices.ContainsFunc(data, func(x float64) bool { return x != 0 }) {
		return fmt.Errorf("it is back: %v", data)
	}
	line := make([]float64, 12)
	if err := drxmp.Read(a, nd.Sec(nd.At(4), nd.All), line); err != nil {
		return err
	}
	for c, x := range line {
		if want := float64(400 + c); x != want && (c >= w.Procs() || x != -1) {
			return fmt.Errorf("element 4, %d is %v", c, x)
		}
	}
	return a.Close()
}

// testRegrownSparse: an extension of an enormous array visits only written chunks, on either side.
func testRegrownSparse(w *world) error {
	const rows = 1 << 34 // 2^36 chunks, whose table has 1 TiB of holes
	name := w.file("sparse")
	spec := drx.Spec{DType: dtype.Int32, Shape: []int{rows, 10}, ChunkShape: []int{1, 8}}
	at := func(c int) nd.Section { return nd.Sec(nd.At(rows/2+5*w.Proc()), nd.At(c)) }
	a, err := drxmp.Create(w, name, spec, drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	if _, err := a.ExtendLow(1, 3); err != nil {
		return err
	}
	for _, c := range []int{-3, -2, 8, 9} {
		if err := drxmp.Write(a, at(c), []int32{int32(100 + c)}); err != nil {
			return err
		}
	}
	if err := a.Close(); err != nil {
		return err
	}
	err = w.once(func() error {
		s, err := drx.Open(name, drx.Options{Write: true})
		if err != nil {
			return err
		}
		return errors.Join(s.ShrinkLow(1, 1), s.Shrink(1, 1), s.Close())
	})
	if err != nil {
		return err
	}
	if a, err = drxmp.Open(w, name, drxmp.Options{Options: drx.Options{Write: true}, Engine: w.engine}); err != nil {
		return err
	}
	for _, side := range []axial.Side{axial.High, axial.Low} {
		if _, err := growtest.Extend(a, 1, 1, side); err != nil {
			return err
		}
	}
	for c, want := range map[int]int32{-3: 0, -2: 98, 8: 108, 9: 0} {
		got := []int32{-1}
		if err := drxmp.Read(a, at(c), got); err != nil || got[0] != want {
			return fmt.Errorf("column %d holds %d, %w, want %d", c, got[0], err, want)
		}
	}
	return a.Close()
}

// testBackground: calls in the background run one after the other; procs wait for them in any
// order.
func testBackground(w *world) error {
	spec := drx.Spec{DType: dtype.Int32, Shape: []int{64, 64}, ChunkShape: []int{16, 16}, Codec: "zstd:1"}
	o := drxmp.Options{Engine: w.engine, Hints: map[string]string{"cb_nodes": "1", "unknown_hint": "x"}}
	a, err := drxmp.Create(w, w.file("a"), spec, o)
	if err != nil {
		return err
	}
	const n = 5
	write, read, data := make([]*drxmp.Request, n), make([]*drxmp.Request, n), make([][]int32, n)
	for i := range n {
		mine := slices.Repeat([]int32{int32(i*100 + w.Proc())}, a.Zone().Len())
		write[i], data[i] = drxmp.StartWriteAll(a, nil, mine), make([]int32, 64*64)
		read[i] = drxmp.StartReadAll(a, a.Bounds(), data[i])
	}
	if err := a.Sync(); err != nil { // Sync waits for all of them
		return err
	}
	for i := n - 1; i >= 0; i-- {
		if !write[i].Test() || !read[i].Test() {
			return fmt.Errorf("call %d is not over", i)
		}
		if err := errors.Join(read[i].Wait(), write[i].Wait(), read[i].Wait()); err != nil {
			return err
		}
		for j, x := range data[i] {
			if p, _ := a.Decomposition().Owner(j/64, j%64); x != int32(i*100+p) {
				return fmt.Errorf("read %d, element %d is %d", i, j, x)
			}
		}
	}
	own := slices.Repeat([]int32{7}, a.Zone().Len())
	got := make([]int32, len(own))
	if err := drxmp.StartWrite(a, nil, own).Wait(); err != nil {
		return err
	}
	if err := drxmp.StartRead(a, nil, got).Wait(); err != nil || !slices.Equal(own, got) {
		return fmt.Errorf("alone: %v, %w", got, err)
	}
	return drxmp.Terminate(w)
}

// testErrors: an error of one proc is an error of all procs, and the array can be used further.
func testErrors(w *world) error {
	name := w.file("figure1")
	if err := w.once(func() error { return writeFigure1(name) }); err != nil {
		return err
	}
	last := w.Proc() == w.Procs()-1
	if _, err := drxmp.Open(w, w.file("nothing"), drxmp.Options{}); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("missing: %w", err)
	}
	if _, err := drxmp.Open(w, name, drxmp.Options{Options: drx.Options{Shared: true}}); !errors.Is(err, fs.ErrInvalid) {
		return fmt.Errorf("shared: %w", err)
	}
	if _, err := drxmp.Open(w, name, drxmp.Options{Distribution: drxmp.Distribution{Grid: []int{100, 1}}}); !errors.Is(err, drx.ErrBounds) {
		return fmt.Errorf("grid: %w", err)
	}
	if _, err := drxmp.Open(w, name, drxmp.Options{Engine: 9}); !errors.Is(err, par.ErrArgument) {
		return fmt.Errorf("engine: %w", err)
	}
	if _, err := drxmp.Create(w, name, drx.Spec{DType: dtype.Int8, Shape: []int{1}}, drxmp.Options{}); !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("exists: %w", err)
	}
	a, err := drxmp.Open(w, name, drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	zone := make([]float64, a.Zone().Len())
	if err := drxmp.WriteAll(a, nil, zone); !errors.Is(err, drx.ErrReadOnly) {
		return fmt.Errorf("read only: %w", err)
	}
	if err := drxmp.Write(a, nil, zone); !errors.Is(err, drx.ErrReadOnly) {
		return fmt.Errorf("read only, alone: %w", err)
	}
	if last {
		zone = make([]float64, len(zone)+1)
	}
	err = drxmp.ReadAll(a, nil, zone)
	var whose *par.ProcError
	if !errors.Is(err, drx.ErrSize) || !errors.As(err, &whose) || whose.Proc != w.Procs()-1 {
		return fmt.Errorf("wrong size: %w", err)
	}
	if last {
		err = drxmp.ReadAll(a, nil, make([]int8, a.Zone().Len()))
	} else {
		err = drxmp.ReadAll(a, nil, zone)
	}
	if !errors.Is(err, drx.ErrDType) {
		return fmt.Errorf("wrong type: %w", err)
	}
	if err := damaged(w, a, name); err != nil {
		return err
	}
	if err := a.Close(); err != nil {
		return err
	}
	if err := a.Close(); !errors.Is(err, drx.ErrClosed) {
		return fmt.Errorf("second close: %w", err)
	}
	if err := drxmp.ReadAll(a, nil, zone); !errors.Is(err, drx.ErrClosed) {
		return fmt.Errorf("closed: %w", err)
	}
	return disagree(w, name)
}

// damaged: one proc finds a damaged chunk.
func damaged(w *world, a *drxmp.Array, name string) error {
	if err := w.once(func() error { return damage(name, 19) }); err != nil {
		return err
	}
	corner := nd.Sec(nd.At(9), nd.At(11))
	if w.Proc() != w.Procs()-1 {
		corner = nd.Sec(nd.At(0), nd.At(0))
	}
	one := make([]float64, 1)
	if err := drxmp.ReadAll(a, corner, one); !errors.Is(err, drx.ErrCorrupt) || !strings.Contains(err.Error(), "chunk 19") {
		return fmt.Errorf("damaged: %w", err)
	}
	return drxmp.ReadAll(a, nd.Sec(nd.At(0), nd.At(0)), one)
}

// disagree: procs make different calls; and another program has the array open.
func disagree(w *world, name string) error {
	a, err := drxmp.Open(w, name, drxmp.Options{Options: drx.Options{Write: true}, Engine: w.engine})
	if err != nil {
		return err
	}
	if _, err := drxmp.Open(w, name, drxmp.Options{Options: drx.Options{Write: true}}); !errors.Is(err, drx.ErrLocked) {
		return fmt.Errorf("locked: %w", err)
	}
	by := 2
	if w.Proc() == w.Procs()-1 {
		by = 3
	}
	if _, err := a.Extend(0, by); w.Procs() > 1 && (!errors.Is(err, par.ErrDisagree) || !strings.Contains(err.Error(), "by 3")) {
		return fmt.Errorf("disagree: %w", err)
	}
	if _, err := a.Extend(0, 0); !errors.Is(err, drx.ErrBounds) {
		return fmt.Errorf("by nothing: %w", err)
	}
	if err := a.Discard(); err != nil {
		return err
	}
	return w.once(func() error {
		s, err := drx.Open(name, drx.Options{})
		if err == nil && s.Shape()[0] != 10 {
			err = fmt.Errorf("discarded, but there are %v", s.Shape())
		}
		return errors.Join(err, s.Close())
	})
}

// testBeside: goroutines read what is committed while the array grows and is committed.
func testBeside(w *world) error {
	spec := drx.Spec{DType: dtype.Int32, Shape: []int{8, 8}, ChunkShape: []int{3, 4}, Codec: "lz4"}
	spec.Cache = 1 << 12
	a, err := drxmp.Create(w, w.file("a"), spec, drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	old := a.Bounds()
	zone := slices.Repeat([]int32{5}, a.Zone().Len())
	if err := errors.Join(drxmp.WriteAll(a, nil, zone), a.Sync()); err != nil {
		return err
	}
	var stop atomic.Bool
	read := make(chan error, 1)
	go func() {
		var err error
		for reads := 0; err == nil && (reads == 0 || !stop.Load()); reads++ {
			data := make([]int32, 64)
			if err = drxmp.Read(a, old, data); err == nil && slices.ContainsFunc(data, func(x int32) bool { return x != 5 }) {
				err = fmt.Errorf("read %v", data)
			}
			time.Sleep(time.Millisecond)
		}
		read <- err
	}()
	for round := range 6 {
		by := 3 * w.Procs() // whole chunks, so that a chunk is either old or new
		if round == 0 {
			by++ // from 8 to a multiple of 3
		}
		added, err := a.Extend(0, by)
		if err != nil {
			return err
		}
		added[0].Lo = added[0].Hi - 3*(w.Procs()-w.Proc())
		added[0].Hi = added[0].Lo + 3
		data := slices.Repeat([]int32{int32(round)}, 24)
		if err := errors.Join(drxmp.WriteAll(a, added, data), a.Sync()); err != nil {
			return err
		}
	}
	stop.Store(true)
	return errors.Join(<-read, a.Close())
}

// errPlanned is the error of procs that fail on purpose.
var errPlanned = errors.New("planned")

// errAlone reports that there is no other proc that could wait for an idle one.
var errAlone = errors.New("alone")

func init() { par.Register(errPlanned, errAlone) }

// victim is the proc that fails: the leader or the last one.
func (w *world) victim() int {
	if w.Procs()%2 == 1 {
		return 0
	}
	return w.Procs() - 1
}

// failing is a program in which, after a commit and a second collective write, one proc fails, or
// stays idle for longer than the others wait. The others get an error, and close the files.
func failing(w *world, how error) error {
	if w.Procs() == 1 && how == par.ErrTimeout {
		return errAlone
	}
	a, err := drxmp.Create(w, w.file("failing"), failingSpec(), drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	if os.Getenv(victimVariable) == "" {
		defer a.Discard()
	}
	for i := int32(1); ; i++ {
		zone := slices.Repeat([]int32{i}, a.Zone().Len())
		if err := drxmp.WriteAll(a, nil, zone); err != nil {
			return err
		}
		if i > 1 && w.Proc() == w.victim() {
			if how != par.ErrTimeout {
				return how
			}
			time.Sleep(600 * time.Millisecond)
		}
		if err := a.Sync(); err != nil {
			if w.Procs() > 1 && !errors.Is(err, par.ErrFailed) {
				return fmt.Errorf("not a failure: %w", err)
			}
			return err
		}
	}
}

func failingSpec() drx.Spec {
	return drx.Spec{DType: dtype.Int32, Shape: []int{64, 64}, ChunkShape: []int{16, 16}, Codec: "lz4"}
}

// afterFailing: the files are those of the last commit.
func afterFailing(w *world) error {
	return w.once(func() error {
		a, err := drx.Open(w.file("failing"), drx.Options{Write: true})
		if err != nil {
			return err
		}
		report, err := a.Verify(context.Background(), nil)
		if err != nil || len(report.Damaged) > 0 || report.Written != 16 {
			return fmt.Errorf("verify: %v, %w", report, err)
		}
		data, err := drx.Read[int32](a, nil)
		if err != nil || slices.ContainsFunc(data, func(x int32) bool { return x != 1 }) {
			return fmt.Errorf("not the commit: %v, %w", data, err)
		}
		return a.Close()
	})
}
