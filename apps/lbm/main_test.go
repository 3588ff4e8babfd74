package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drx"
	"drx/apps/lbm/cavity"
	"drx/nd"
	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/partest"
	"drx/parallel/spmd"
)

// programVariable is the environment variable that makes the test the program itself. Its value is
// "run", or "kill PROC PART STEP": a proc, or "all", then kills its process after that part of that
// commit. extendVariable makes the test a program that extends an array.
const programVariable, extendVariable = "DRX_LBM_PROGRAM", "DRX_LBM_EXTEND"

func TestMain(m *testing.M) {
	if name := os.Getenv(extendVariable); name != "" {
		if err := extendPlate(name, 1, 8); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	how := os.Getenv(programVariable)
	if how == "" {
		os.Exit(m.Run())
	}
	partest.LimitFiles()
	o := options{progress: io.Discard}
	o.flags(flag.CommandLine)
	spmd.Main(func(c par.Comm) error {
		mine := o
		mine.duringCommit = func(c par.Comm, part string, step int) error {
			where := fmt.Sprint(" ", part, " ", step)
			if how == fmt.Sprint("kill ", c.Proc(), where) || how == "kill all"+where {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
			return nil
		}
		return errors.Join(mine.check(), mine.run(c))
	})
}

// growing is a small flow of Reynolds number 100 at first, over a plate that grows on three sides,
// with steps that are no multiple of -every.
var growing = []string{
	"-size", "20", "-chunk", "8", "-re", "100", "-every", "20", "-steps", "110", "-grow", "30:x:5,40:y:8,40:x:-3,70:y:-6",
}

// compute runs the program with goroutine procs in a folder.
func compute(dir string, procs int, args []string, duringCommit func(c par.Comm, part string, step int) error) error {
	o := options{progress: io.Discard, duringCommit: duringCommit}
	f := flag.NewFlagSet("lbm", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	o.flags(f)
	args = append([]string{"-plate", filepath.Join(dir, "plate"), "-snapshots", filepath.Join(dir, "flow")}, args...)
	if err := errors.Join(f.Parse(args), o.check()); err != nil {
		return err
	}
	f.Visit(func(f *flag.Flag) { o.given = append(o.given, f.Name) })
	return par.Run(procs, func(c par.Comm) error {
		mine := o
		return mine.run(c)
	})
}

// A result is what a run leaves: the bits of both arrays, where they are, and the state.
type result struct {
	plate, flow    string
	where          string
	excess, height float64 // the sum of all populations; the highest of them
}

func readResult(t *testing.T, dir string) (r result) {
	t.Helper()
	for _, name := range []string{"plate", "flow"} {
		a, err := drx.Open(filepath.Join(dir, name), drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		buf := make([]byte, a.DType().Size()*length(a.Bounds()))
		if err := a.ReadBytes(nil, buf, nd.RowMajor); err != nil {
			t.Fatal(err)
		}
		r.where += fmt.Sprint(name, " ", a.Bounds(), " ", string(a.Attrs()["state"]), "\n")
		if name == "flow" {
			r.flow = string(buf)
			continue
		}
		r.plate = string(buf)
		values, err := drx.Read[float64](a, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range values {
			r.excess, r.height = r.excess+x, max(r.height, x)
		}
	}
	return r
}

func length(s nd.Section) int {
	n, _ := s.Len()
	return n
}

// compare describes how a result differs from another one.
func (r result) compare(t *testing.T, what string, want result) {
	t.Helper()
	if r.where != want.where {
		t.Errorf("%s: %swant %s", what, r.where, want.where)
	}
	if r.plate != want.plate || r.flow != want.flow {
		t.Errorf("%s: the plate is the same: %v, the snapshots are: %v", what, r.plate == want.plate, r.flow == want.flow)
	}
}

// once is the result of the growing flow with one proc, without interruption.
func once(t *testing.T) result {
	t.Helper()
	dir := t.TempDir()
	if err := compute(dir, 1, growing, nil); err != nil {
		t.Fatal(err)
	}
	return readResult(t, dir)
}

// TestProcs: the same bits with 1 to 4 procs, and with more procs than there are rows of chunks at
// first. The mass is that at the beginning.
func TestProcs(t *testing.T) {
	want := once(t)
	if !strings.Contains(want.where, "-6:28,-3:25,") || !(math.Abs(want.excess) <= 1e-12 && want.height >= 0.001) {
		t.Errorf("%s, mass %g, highest %g", want.where, want.excess, want.height)
	}
	for procs := 2; procs <= 4; procs++ {
		dir := t.TempDir()
		if err := compute(dir, procs, growing, nil); err != nil {
			t.Fatal(err)
		}
		readResult(t, dir).compare(t, fmt.Sprint(procs, " procs"), want)
	}
}

var errPlanned = errors.New("planned failure")

// TestRestart: the program fails after every file that a commit writes, in one proc or in all, and
// is started again each time with another number of procs. It has the same result.
func TestRestart(t *testing.T) {
	want, commits := once(t), 8
	for _, all := range []bool{false, true} {
		dir, failed, begun := t.TempDir(), map[string]bool{}, 0
		for err := error(errPlanned); err != nil; begun++ {
			failing := ""
			err = compute(dir, 1+begun%3, growing, func(c par.Comm, part string, step int) error {
				here := fmt.Sprint(part, " ", step)
				if failed[here] {
					return nil
				}
				if err := c.Barrier(); err != nil { // all have checked
					return err
				}
				if c.Proc() == c.Procs()-1 {
					failing = here
				} else if !all {
					return nil
				}
				return errPlanned
			})
			if err != nil && !errors.Is(err, errPlanned) {
				t.Fatal(failing, err)
			}
			failed[failing] = true
		}
		if begun != 2*commits+1 { // after the plate is written nothing must be computed again
			t.Errorf("began %d times", begun)
		}
		readResult(t, dir).compare(t, fmt.Sprint("all procs fail: ", all), want)
	}
}

// TestKilled: the same with a process that is killed.
func TestKilled(t *testing.T) {
	want, dir := once(t), t.TempDir()
	for _, kill := range []string{"1 snapshot 40", "0 plate 60", "1 growth 80", "0 snapshot 100"} {
		out, err := start(t, dir, "kill "+kill, append([]string{"-procs", "2"}, growing...))
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("%s: %v\n%s", kill, err, out)
		}
	}
	if out, err := start(t, dir, "run", append([]string{"-procs", "3"}, growing...)); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	readResult(t, dir).compare(t, "killed four times", want)
}

// TestKilledAnyTime: the same after random times.
func TestKilledAnyTime(t *testing.T) {
	want, dir := once(t), t.TempDir()
	killed := partest.KillAnyTime(t, 10*time.Millisecond, func() *exec.Cmd { return command(dir, "run", append([]string{"-procs", "3"}, growing...)) })
	if killed == 0 {
		t.Error("the program ended before it could be killed")
	}
	readResult(t, dir).compare(t, fmt.Sprint("after ", killed, " kills"), want)
}

// TestFullDisk: the same when there is no room for a file, in most runs in a commit.
func TestFullDisk(t *testing.T) {
	want, dir := once(t), t.TempDir()
	failed := partest.FillDisk(t, 4000, func(run int) *exec.Cmd {
		return command(dir, "run", append([]string{"-procs", fmt.Sprint(1 + run%3)}, growing...))
	})
	if failed < 10 {
		t.Errorf("only %d runs have failed", failed)
	}
	readResult(t, dir).compare(t, fmt.Sprint("after ", failed, " runs"), want)
}

// command returns the program as a process of its own, in a folder.
func command(dir, how string, args []string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), programVariable+"="+how)
	return cmd
}

// start runs the program in a folder.
func start(t *testing.T, dir, how string, args []string) (string, error) {
	t.Helper()
	out, err := command(dir, how, args).CombinedOutput()
	return string(out), err
}

// extendPlate extends the plate like "drx extend --wait=1m".
func extendPlate(name string, dim, by int) error {
	a, err := drx.Open(name, drx.Options{Write: true})
	for i := 0; errors.Is(err, drx.ErrLocked) && i < 60000; i++ {
		a, err = drx.Open(name, drx.Options{Write: true})
	}
	if err != nil {
		return err
	}
	_, err = a.Extend(dim, by)
	return errors.Join(err, a.Close())
}

// TestExtendedOutside: another process extends the plate while the program computes. The flow goes
// on as if the program itself had extended the plate at the next commit.
func TestExtendedOutside(t *testing.T) {
	args := growing[: len(growing)-2 : len(growing)-2]
	inside := t.TempDir()
	if err := compute(inside, 2, append(args, "-grow", "60:x:8"), nil); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	err := compute(outside, 2, args, func(c par.Comm, part string, step int) error {
		if c.Proc() == 1 && part == "growth" && step == 40 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), extendVariable+"="+filepath.Join(outside, "plate"))
			return cmd.Run()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	readResult(t, outside).compare(t, "extended outside", readResult(t, inside))
}

// TestExtendedAnyTime: another process extends the plate again and again, at any moment. The fluid
// is conserved.
func TestExtendedAnyTime(t *testing.T) {
	const times = 20
	dir, extended := t.TempDir(), make(chan error, 1)
	begin := make(chan struct{})
	go func() {
		<-begin
		var err error
		for i := 0; err == nil && i < times; i++ {
			err = extendPlate(filepath.Join(dir, "plate"), i%2, 1)
		}
		extended <- err
	}()
	args := append([]string{}, growing[:len(growing)-2]...)
	err := compute(dir, 2, append(args, "-steps", "400"), func(c par.Comm, part string, step int) error {
		if c.Proc() == 0 && step == 20 && part == "growth" {
			close(begin)
		}
		return nil
	})
	if err := errors.Join(err, <-extended); err != nil {
		t.Fatal(err)
	}
	r := readResult(t, dir)
	if !strings.HasPrefix(r.where, "plate 0:30,0:30,") || !(math.Abs(r.excess) <= 1e-12 && r.height >= 0.001) {
		t.Errorf("%s, mass %g, highest %g", r.where, r.excess, r.height)
	}
}

// compared returns the velocities of a flow beside those of Ghia, Ghia and Shin.
func compared(t *testing.T, dir string) cavity.Comparison {
	t.Helper()
	f, err := cavity.Read(filepath.Join(dir, "flow"), -1)
	if err != nil {
		t.Fatal(err)
	}
	all, err := f.Compare()
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// ghia returns the largest difference of u and v from those of Ghia, Ghia and Shin, as a share of
// the speed of the lid.
func ghia(t *testing.T, dir string, args ...string) float64 {
	t.Helper()
	if err := compute(dir, 2, args, nil); err != nil {
		t.Fatal(err)
	}
	c := compared(t, dir)
	t.Logf("%v: %s: u %.3f %%, v %.3f %%", args, c.Name, 100*c.DU, 100*c.DV)
	return max(c.DU, c.DV)
}

// TestGhia: on small grids the flow at Reynolds number 100 is near to that of Ghia, Ghia and Shin.
func TestGhia(t *testing.T) {
	for _, collide := range []string{"bgk", "mrt"} {
		dir := t.TempDir()
		if worst := ghia(t, dir, "-size", "32", "-collide", collide, "-every", "1600", "-steps", "4800"); !(worst <= 0.02) {
			t.Errorf("%s: %.2f %%, want below 2 %%", collide, 100*worst)
		}
	}
}

// TestSteady: a run that begins with the result of a coarser one ends when nothing changes any
// more, and does nothing when it is started again.
func TestSteady(t *testing.T) {
	coarse, fine := t.TempDir(), t.TempDir()
	if err := compute(coarse, 1, []string{"-size", "16", "-every", "400", "-steps", "4000", "-steady", "1e-3"}, nil); err != nil {
		t.Fatal(err)
	}
	args := []string{"-size", "24", "-every", "400", "-steps", "8000", "-steady", "1e-2", "-from", filepath.Join(coarse, "flow")}
	if err := compute(fine, 2, args, nil); err != nil {
		t.Fatal(err)
	}
	first := readResult(t, fine)
	if err := compute(fine, 2, args, nil); err != nil {
		t.Fatal(err)
	}
	readResult(t, fine).compare(t, "again", first)
	if !strings.Contains(first.where, `"Step":800,`) {
		t.Error(first.where)
	}
}

// TestSteadyGrown: a steady flow on a plate that grows, extended by another program or in the
// commit that would be the last one, is computed on until it is steady on the whole plate.
func TestSteadyGrown(t *testing.T) {
	args := []string{"-size", "16", "-every", "200", "-steps", "8000", "-steady", "1e-2"}
	run := func(dir string, more ...string) (step int) {
		if err := compute(dir, 2, append(args[:len(args):len(args)], more...), nil); err != nil {
			t.Fatal(err)
		}
		return stepOf(t, dir)
	}
	outside, inside := t.TempDir(), t.TempDir()
	first := run(outside)
	if err := extendPlate(filepath.Join(outside, "plate"), 1, 8); err != nil {
		t.Fatal(err)
	}
	second := run(outside)
	if first == 0 || second < first+400 || second == 8000 || run(outside) != second {
		t.Errorf("steady after %d steps, after growth at %d, and then again at %d", first, second, stepOf(t, outside))
	}
	if got := run(inside, "-grow", fmt.Sprintf("%d:x:8", first)); got != second {
		t.Errorf("grown by itself: steady at %d, want %d", got, second)
	}
	readResult(t, inside).compare(t, "grown by itself", readResult(t, outside))
}

// stepOf returns the last step that is committed.
func stepOf(t *testing.T, dir string) int {
	t.Helper()
	a, err := drx.Open(filepath.Join(dir, "plate"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var s state
	if err := json.Unmarshal(a.Attrs()["state"], &s); err != nil {
		t.Fatal(err)
	}
	return s.Step
}

// TestArguments: impossible arguments are refused, with the reason.
func TestArguments(t *testing.T) {
	for _, wrong := range []string{"-size 1", "-re 0", "-lid 0.5", "-collide srt", "-every 0", "-grow 10:z:5", "-grow 10:x:0", "-grow x"} {
		if err := compute(t.TempDir(), 1, strings.Fields(wrong), nil); err == nil || !strings.Contains(err.Error(), strings.Fields(wrong)[1]) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// TestMpirun: processes of MPI come to the same result as goroutines, also if one of them, or all,
// are killed in a commit.
func TestMpirun(t *testing.T) {
	if !mpi.Built {
		t.Skip("needs a build with -tags mpi")
	}
	program, dir := partest.Program(t, mpi.Built, mpi.Command), t.TempDir()
	args := append([]string{program, "-plate", filepath.Join(dir, "plate"), "-snapshots", filepath.Join(dir, "flow")}, growing...)
	for _, how := range []string{"kill 1 snapshot 40", "kill all plate 60", "kill 0 growth 80", "run"} {
		t.Setenv(programVariable, how)
		if out, err := partest.Mpirun(t, mpi.Command, "3", args...); (err == nil) != (how == "run") {
			t.Fatalf("%s: %v\n%s", how, err, out)
		}
	}
	readResult(t, dir).compare(t, "3 processes", once(t))
}

// TestRestartFrom: a run that begins with the snapshots of a coarser one fails before its first
// commit, and is started again without -size and with other procs. It has the same result. A plate
// that was extended before is filled as a whole.
func TestRestartFrom(t *testing.T) {
	coarse := t.TempDir()
	if err := compute(coarse, 1, []string{"-size", "16", "-every", "100", "-steps", "300"}, nil); err != nil {
		t.Fatal(err)
	}
	args := []string{"-every", "50", "-steps", "100", "-chunk", "8", "-from", filepath.Join(coarse, "flow")}
	sized := append(args[:len(args):len(args)], "-size", "24")
	fail := func(par.Comm, string, int) error { return errPlanned }
	for _, extended := range []bool{false, true} {
		whole, dir := t.TempDir(), t.TempDir()
		for _, d := range []string{whole, dir} {
			if err := compute(d, 3, sized, fail); !errors.Is(err, errPlanned) {
				t.Fatal(err)
			}
			if extended {
				if err := errors.Join(extendPlate(filepath.Join(d, "plate"), 0, 4), extendPlate(filepath.Join(d, "plate"), 1, 9)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := errors.Join(compute(whole, 1, sized, nil), compute(dir, 2, args, nil)); err != nil {
			t.Fatal(err)
		}
		r := readResult(t, dir)
		r.compare(t, "started again", readResult(t, whole))
		if want := map[bool]string{false: "plate 0:24,0:24,", true: "plate 0:28,0:33,"}[extended]; !strings.HasPrefix(r.where, want) || !(r.height >= 0.001) {
			t.Errorf("%s, highest %g, want %s", r.where, r.height, want)
		}
	}
}

// TestOtherPlates: snapshots of another plate, and of the same one at a later step, are refused,
// and stay as they are.
func TestOtherPlates(t *testing.T) {
	dir := t.TempDir()
	if err := compute(dir, 2, growing, nil); err != nil {
		t.Fatal(err)
	}
	want := readResult(t, dir)
	for _, args := range [][]string{{"-size", "20", "-re", "50", "-every", "20", "-steps", "40"}, growing} {
		err := compute(dir, 2, append(args[:len(args):len(args)], "-plate", filepath.Join(dir, "other")), nil)
		if err == nil || !strings.Contains(err.Error(), "another plate") {
			t.Error(err)
		}
		if err := drx.Remove(filepath.Join(dir, "other")); err != nil {
			t.Fatal(err)
		}
		readResult(t, dir).compare(t, "refused", want)
	}
}

// TestTwoPrograms: a program that finds that another one has computed the same plate ends with an
// error, and the plate stays as the other one wrote it.
func TestTwoPrograms(t *testing.T) {
	want := once(t)
	for step, refusal := range map[int]string{40: "5 snapshots", 60: "another program computes this plate"} { // it commits next at 60, with a snapshot, or 70
		dir := t.TempDir()
		err := compute(dir, 2, growing, func(c par.Comm, part string, now int) error {
			if part != "growth" || now != step {
				return nil
			}
			var err error
			if c.Proc() == 0 {
				err = compute(dir, 1, growing, nil)
			}
			return c.Agree("the other program", err)
		})
		if err == nil || !strings.Contains(err.Error(), refusal) {
			t.Errorf("after step %d: %v", step, err)
		}
		readResult(t, dir).compare(t, "computed by two", want)
	}
}

// TestReports: what cannot be drawn or compared at the end is refused at the beginning, before a
// plate is created. A plate that is finished is drawn whatever -steps says.
func TestReports(t *testing.T) {
	dir := t.TempDir()
	run := func(more string) error {
		return compute(dir, 2, append([]string{"-size", "8", "-every", "100", "-steps", "200"}, strings.Fields(more)...), nil)
	}
	for wrong, want := range map[string]string{
		"-animation a.mp4": "-animation a.mp4", "-picture a.png -steps 99": "-steps 99", "-ghia -re 150": "Reynolds number 150",
	} {
		if err := run(wrong); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", wrong, err)
		}
		if there, err := drx.Exists(filepath.Join(dir, "plate")); err != nil || there {
			t.Errorf("%s: there is a plate: %v, %v", wrong, there, err)
		}
	}
	if err := errors.Join(run("-ghia -re 100"), run("-picture a.png -steps 0"), run("-re 100")); err != nil {
		t.Error(err)
	}
	for _, other := range []string{"-re 150", "-size 16", "-lid 0.05"} {
		if err := run(other); err == nil || !strings.Contains(err.Error(), "is for a new plate") {
			t.Errorf("%s: %v", other, err)
		}
	}
	if err := compute(dir, 1, []string{"-re", "100", "-steps", "200"}, nil); err != nil { // -size is not needed to know the Reynolds number
		t.Error(err)
	}
}

// TestSoak has the runs that take many minutes.
func TestSoak(t *testing.T) {
	if os.Getenv("DRX_SOAK") == "" {
		t.Skip("takes many minutes: make soak")
	}
	t.Run("published", soakPublished)
	t.Run("order", soakOrder)
}

// soakPublished: at 256 x 256 nodes the flow is that of Ghia, Ghia and Shin within 1 % of the speed
// of the lid.
func soakPublished(t *testing.T) {
	for _, re := range []string{"100", "400", "1000"} {
		from := ""
		for _, n := range []int{64, 128, 256} {
			dir := t.TempDir()
			worst := ghia(t, dir, "-size", fmt.Sprint(n), "-re", re, "-every", fmt.Sprint(50*n), "-steps", fmt.Sprint(2000*n), "-steady", "5e-4", "-from", from)
			from = filepath.Join(dir, "flow")
			if n == 256 && !(worst <= 0.01) {
				t.Errorf("Reynolds number %s: %.2f %%", re, 100*worst)
			}
		}
	}
}

// soakOrder: with twice the nodes and half the speed of the lid, from 16 x 16 nodes on, the
// velocities of the cavity change less and less, by an order below 2, as they jump in the corners
// of the lid.
func soakOrder(t *testing.T) {
	var c [3]cavity.Comparison
	for i, n := range []int{16, 32, 64} {
		dir, every := t.TempDir(), 800<<(2*i) // the lid moves by five widths
		args := fmt.Sprintf("-size %d -lid %v -re 100 -every %d -steps %d -steady 1e-6", n, 1.6/float64(n), every, 200*every)
		if err := compute(dir, 2, strings.Fields(args), nil); err != nil {
			t.Fatal(err)
		}
		c[i] = compared(t, dir)
	}
	for _, v := range []struct {
		name                 string
		coarse, middle, fine [17]float64
		first, second        float64
	}{{"u", c[0].U, c[1].U, c[2].U, 0.0197, 0.0077}, {"v", c[0].V, c[1].V, c[2].V, 0.0254, 0.0088}} {
		first, second := farthest(v.coarse, v.middle), farthest(v.middle, v.fine)
		t.Logf("%s changes by %.4f and %.4f: order %.2f", v.name, first, second, math.Log2(first/second))
		if !(math.Abs(first-v.first) < 0.0001 && math.Abs(second-v.second) < 0.0001) {
			t.Errorf("%s: README has %v and %v", v.name, v.first, v.second)
		}
	}
}

// farthest returns the largest difference of two profiles.
func farthest(a, b [17]float64) (d float64) {
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}
