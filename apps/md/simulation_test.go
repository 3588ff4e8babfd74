package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/partest"
	"drx/parallel/spmd"
)

// These environment variables make this test the program, with the given arguments. A process, or
// "all", kills itself in the commit of a frame: "PROC POINT FRAME". POINT is energies (they are
// committed), extended (the trajectory has one more index) or trajectory (it is committed).
const (
	argumentsVariable = "DRX_MD_ARGUMENTS"
	victimVariable    = "DRX_MD_VICTIM"
)

func TestMain(m *testing.M) {
	arguments := os.Getenv(argumentsVariable)
	if arguments == "" {
		os.Exit(m.Run())
	}
	partest.LimitFiles()
	os.Args = append(os.Args[:1], strings.Fields(arguments)...)
	o := options{reached: func(point string, proc, frame int) {
		where := fmt.Sprint(" ", point, " ", frame)
		if victim := os.Getenv(victimVariable); victim == fmt.Sprint(proc, where) || victim == "all"+where {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}}
	o.define(flag.CommandLine)
	spmd.Main(o.run)
}

// growing is a run in which velocities are scaled and particles are added: 108 at first, 144 at the
// end.
const growing = "-particles 108 -density 0.4 -cutoff 2.5 -switch 2 -chunk 16 -every 4 -equilibrate 3 -add 12 -add-every 3 -frames 12"

// celled is growing in a box that is four cells wide. The other boxes have one cell, because with
// less than three along an edge all cells are neighbours.
const celled = "-particles 256 -density 0.2 -cutoff 2.5 -switch 2 -chunk 16 -every 4 -equilibrate 2 -add 12 -add-every 2 -frames 6"

// program runs the program with goroutine procs.
func program(procs int, name, arguments string) error {
	var o options
	f := flag.NewFlagSet("md", flag.ContinueOnError)
	o.define(f)
	if err := f.Parse(strings.Fields(arguments)); err != nil {
		return err
	}
	if f.NFlag() > 1 {
		o.given = " -particles"
	}
	return par.Run(procs, func(c par.Comm) error { return simulate(c, name, o) })
}

// A result is what a run leaves behind.
type result struct {
	frames   []int64 // the trajectory
	shape    []int
	energies []float64
}

func resultOf(t *testing.T, name string) (r result) {
	t.Helper()
	a, err := drx.Open(name, drx.Options{})
	if err == nil {
		r.shape = a.Shape()
		r.frames, err = drx.Read[int64](a, nil)
		err = errors.Join(err, a.Close())
	}
	e, more := drx.Open(name+"-energy", drx.Options{})
	if err = errors.Join(err, more); err == nil {
		r.energies, err = drx.Read[float64](e, nil)
		err = errors.Join(err, e.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// same fails the test if two results differ in a bit.
func same(t *testing.T, what string, got, want result) {
	t.Helper()
	if !slices.Equal(got.shape, want.shape) || !slices.Equal(got.frames, want.frames) || !slices.Equal(got.energies, want.energies) {
		t.Fatalf("%s: another result, of shape %v, want %v", what, got.shape, want.shape)
	}
}

// reference returns the result of an undisturbed run.
func reference(t *testing.T, arguments string) result {
	t.Helper()
	name := filepath.Join(t.TempDir(), "reference")
	if err := program(1, name, arguments); err != nil {
		t.Fatal(err)
	}
	return resultOf(t, name)
}

// TestProcs: the trajectory is the same, bit for bit, whatever the number of procs, while particles
// are added. The momentum is zero in every frame, to the last unit; a particle that does not exist
// yet has the fill value.
func TestProcs(t *testing.T) {
	for _, arguments := range []string{growing, celled} {
		testProcs(t, arguments)
	}
}

func testProcs(t *testing.T, arguments string) {
	o := optionsOf(t, arguments)
	if cells := newField(o.settings).cells; cells != map[string]int{growing: 1, celled: 4}[arguments] {
		t.Fatalf("%d cells", cells)
	}
	want, most := reference(t, arguments), o.particlesAt(o.frames)
	if !slices.Equal(want.shape, []int{o.frames + 1, 2, most, 3}) || most < o.Particles+2*o.Add {
		t.Fatalf("shape %v", want.shape)
	}
	for procs := 2; procs <= 4; procs++ {
		name := filepath.Join(t.TempDir(), "a")
		if err := program(procs, name, arguments); err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprint(procs, " procs"), resultOf(t, name), want)
	}
	for frame := range want.shape[0] {
		present := o.Particles + max(frame-1, 0)/o.AddEvery*o.Add
		v := want.frames[(2*frame+1)*most*3:][:most*3]
		if m := momentum(v[:3*present]); m[0] != 0 || m[1] != 0 || m[2] != 0 {
			t.Errorf("frame %d: momentum %v", frame, m)
		}
		if n := int(want.energies[frame*quantities+count]); n != present || slices.ContainsFunc(v[3*present:], func(x int64) bool { return x != math.MinInt64 }) {
			t.Errorf("frame %d has %d particles, want %d, and others", frame, n, present)
		}
	}
}

// optionsOf returns the options that the arguments say.
func optionsOf(t *testing.T, arguments string) (o options) {
	t.Helper()
	f := flag.NewFlagSet("md", flag.ContinueOnError)
	o.define(f)
	if err := f.Parse(strings.Fields(arguments)); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestRestart: a run that other numbers of procs continue, from its end or from an earlier frame,
// has the same result.
func TestRestart(t *testing.T) {
	for _, arguments := range []string{growing, celled} {
		testRestart(t, arguments)
	}
}

func testRestart(t *testing.T, arguments string) {
	want, name, frames := reference(t, arguments), filepath.Join(t.TempDir(), "a"), optionsOf(t, arguments).frames
	if err := program(2, name, fmt.Sprint(arguments, " -frames ", frames/2-1)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ procs, until int }{{3, frames - 2}, {1, frames}, {2, frames}} {
		if err := program(c.procs, name, fmt.Sprint("-frames=", c.until)); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "continued", resultOf(t, name), want)
	for _, from := range []int{0, 3, 4, frames - 1} {
		err := par.Run(2, func(c par.Comm) error { return simulate(c, name, options{from: from, frames: frames}) })
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprint("from frame ", from), resultOf(t, name), want)
	}
}

// TestFullDisk: files cannot exceed a limit, which grows by some bytes from run to run. Each run
// fails somewhere, mostly in a commit, and the next one continues.
func TestFullDisk(t *testing.T) {
	want, name := reference(t, growing), filepath.Join(t.TempDir(), "a")
	failed := partest.FillDisk(t, 2900, func(run int) *exec.Cmd {
		return command(fmt.Sprint(continued(t, name, growing), " -procs ", 1+run%3, " ", name))
	})
	if failed < 20 {
		t.Errorf("only %d runs have failed", failed)
	}
	same(t, fmt.Sprint("after ", failed, " runs"), resultOf(t, name), want)
}

// continued returns the arguments that continue a trajectory, or create it if it does not exist.
func continued(t *testing.T, name, arguments string) string {
	t.Helper()
	if there, err := drx.Exists(name); err != nil {
		t.Fatal(err)
	} else if !there {
		return arguments
	}
	return fmt.Sprint("-frames ", optionsOf(t, arguments).frames)
}

// command returns the program as a process of its own.
func command(arguments string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), argumentsVariable+"="+arguments)
	return cmd
}

// start runs the program in a process of its own, with more in the environment.
func start(arguments string, more ...string) (string, error) {
	cmd := command(arguments)
	cmd.Env = append(cmd.Env, more...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestKilled: the process, with all procs, is killed when a proc reaches one of these points: in
// frames with and without new particles, between the commit of the energies and that of the
// trajectory, and while frames are computed again from an earlier one. Run after run continues; the
// result is the same.
func TestKilled(t *testing.T) {
	want, name := reference(t, growing), filepath.Join(t.TempDir(), "a")
	for _, c := range []struct{ arguments, victim string }{
		{growing, "1 energies 0"},
		{"-frames 12", "0 energies 1"},
		{"-frames 12", "2 trajectory 3"},
		{"-frames 12", "1 energies 4"},
		{"-frames 12", "2 energies 10"},
		{"-frames 12 -from 2", "0 energies 3"},
		{"-frames 12", "1 trajectory 12"},
		{"-frames 12 -from 7", "2 energies 8"},
		{"-frames 12", "0 extended 9"},
		{"-frames 12", "1 extended 10"},
	} {
		out, err := start(c.arguments+" -procs 3 "+name, victimVariable+"="+c.victim)
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("%s: not killed: %v\n%s", c.victim, err, out)
		}
	}
	if out, err := start("-frames 12 -procs 2 " + name); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	same(t, "killed ten times", resultOf(t, name), want)
}

// longer is growing with more steps, so that there is time for kills.
var longer = strings.Replace(growing, "-every 4", "-every 20", 1)

// TestKilledAnyTime: the same after random times. The first of them ends while the process starts.
func TestKilledAnyTime(t *testing.T) {
	want, name := reference(t, longer), filepath.Join(t.TempDir(), "a")
	killed := partest.KillAnyTime(t, 30*time.Millisecond, func() *exec.Cmd { return command(continued(t, name, longer) + " -procs 3 " + name) })
	if killed == 0 {
		t.Error("the program ended before it could be killed")
	}
	same(t, fmt.Sprint("after ", killed, " kills"), resultOf(t, name), want)
	if out, err := start("-from 2 -frames 3 " + name); err != nil { // from here on an extension is a commit of its own
		t.Fatalf("%v\n%s", err, out)
	}
	if killed = partest.KillAnyTime(t, 30*time.Millisecond, func() *exec.Cmd { return command("-frames 12 -procs 3 " + name) }); killed == 0 {
		t.Error("the program ended before it could be killed, from frame 3")
	}
	same(t, fmt.Sprint("from frame 3, after ", killed, " kills"), resultOf(t, name), want)
}

// brief is growing with fewer steps and frames, because on a busy machine processes of MPI wait
// long for each other.
var brief = strings.NewReplacer("-every 4", "-every 2", "-frames 12", "-frames 8").Replace(growing)

// TestMpirun: processes of MPI have the same result, also if one of them, or all, are killed.
func TestMpirun(t *testing.T) {
	binary, want := partest.Program(t, mpi.Built, mpi.Command), reference(t, brief)
	name := filepath.Join(t.TempDir(), "a")
	for _, victim := range []string{"1 energies 2", "all energies 4", "0 trajectory 5", "none"} {
		t.Setenv(argumentsVariable, continued(t, name, brief)+" "+name)
		t.Setenv(victimVariable, victim)
		if out, err := partest.Mpirun(t, mpi.Command, "2", binary); (err == nil) != (victim == "none") {
			t.Fatalf("victim %s: %v: %s", victim, err, out)
		}
	}
	same(t, "under mpirun", resultOf(t, name), want)
}

// TestReversed: with all velocities negated the particles return to where they began, to the last
// bit.
func TestReversed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := program(2, name, "-particles 108 -density 0.6 -cutoff 2.5 -switch 2 -chunk 32 -every 100 -frames 2"); err != nil {
		t.Fatal(err)
	}
	forward := resultOf(t, name)
	a, err := drx.Open(name, drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	v := slices.Clone(forward.frames[len(forward.frames)-108*3:])
	for i := range v {
		v[i] = -v[i]
	}
	if err := errors.Join(drx.Write(a, nd.Sec(nd.At(2), nd.At(velocity), nd.All, nd.All), v), a.Close()); err != nil {
		t.Fatal(err)
	}
	if err := program(3, name, "-frames=4"); err != nil {
		t.Fatal(err)
	}
	back := resultOf(t, name).frames
	if !slices.Equal(back[len(back)-2*108*3:len(back)-108*3], forward.frames[:108*3]) {
		t.Error("the particles are elsewhere")
	}
}

// TestDrift: the energy drifts by less than 1e-4 in 100,000 steps, extrapolated from a shorter run.
// TestPublished makes all steps.
func TestDrift(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := program(1, name, "-particles 108 -density 0.6 -cutoff 2.5 -switch 2 -step 0.0005 -every 40 -equilibrate 10 -frames 45"); err != nil {
		t.Fatal(err)
	}
	err := par.Run(2, func(c par.Comm) error {
		a, err := analysisOf(c, name, evaluation{skip: 15, bin: 0.1})
		if err == nil && (!(math.Abs(a.drift) <= 1e-4) || a.drift == 0) {
			t.Errorf("the energy drifts by %v in 100,000 steps", a.drift)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRefused: impossible settings, and the settings of another trajectory, are errors that say
// what to do.
func TestRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	for arguments, want := range map[string]string{
		"-particles=107": "even", "-density=0": "-density", "-cutoff=9": "at most half of the box", "-switch=4": "less than -cutoff", "-every=0": "-every",
		"-density 0.9 -step 0.5": "-step shorter", "-density 0.9 -add 200 -add-every 1 -frames 2 -every 1": "no place",
	} {
		if err := program(2, name, arguments); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", arguments, err)
		}
		for _, n := range []string{name, name + "-energy"} {
			if there, err := drx.Exists(n); err != nil {
				t.Fatal(err)
			} else if there && drx.Remove(n) != nil {
				t.Fatal("cannot remove ", n)
			}
		}
	}
	if err := program(1, name, growing); err != nil {
		t.Fatal(err)
	}
	if err := program(2, name, growing); err == nil || !strings.Contains(err.Error(), "leave out -particles") {
		t.Error(err)
	}
	err := par.Run(2, func(c par.Comm) error { return simulate(c, name, options{from: 13}) })
	if err == nil || !strings.Contains(err.Error(), "0 to 12") {
		t.Error(err)
	}
	if err := program(2, name+"-none", "-from=3"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("-from without a trajectory: %v", err)
	}
	if there, err := drx.Exists(name + "-none"); err != nil || there {
		t.Errorf("-from has made a trajectory: %v, %v", there, err)
	}
}

// TestOthersArrays: arrays that md has not created, with the names of those beside the trajectory,
// are neither changed nor removed, and the error names them.
func TestOthersArrays(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	for suffix, run := range map[string]func() error{
		"-energy": func() error { return program(2, name, "-from=1") },
		"-state":  func() error { return program(2, name, brief) },
		"-view":   func() error { return par.Run(2, func(c par.Comm) error { return draw(c, name, evaluation{draw: 8}) }) },
		"-rdf/g": func() error {
			return par.Run(2, func(c par.Comm) error { return analyse(c, name, evaluation{bin: 0.1}) })
		},
	} {
		if suffix != "-state" {
			if err := program(1, name, brief); err != nil {
				t.Fatal(err)
			}
		}
		if suffix == "-energy" {
			if err := drx.Remove(name + suffix); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Dir(name+suffix), 0o777); err != nil {
			t.Fatal(err)
		}
		spec := drx.Spec{DType: dtype.Uint8, Shape: []int{40}, FillValue: 7}
		a, err := drx.Create(name+suffix, spec)
		if err = errors.Join(err, a.Close()); err != nil {
			t.Fatal(err)
		}
		if err := run(); err == nil || !strings.Contains(err.Error(), name+suffix+" exists, and md has not made it") {
			t.Errorf("%s: %v", suffix, err)
		}
		if a, err = drx.Open(name+suffix, drx.Options{}); err != nil || a.Shape()[0] != 40 {
			t.Fatalf("%s: %v", suffix, err)
		}
		if suffix == "-energy" && framesIn(t, name) != 9 {
			t.Error("frames were forgotten before the error")
		}
		if err := errors.Join(a.Close(), drx.Remove(name+suffix), removeTrajectory(name)); err != nil {
			t.Fatal(err)
		}
	}
}

// framesIn returns the extent of a trajectory along time.
func framesIn(t *testing.T, name string) int {
	t.Helper()
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	return a.Shape()[0]
}

// removeTrajectory removes the files of a run.
func removeTrajectory(name string) error {
	var errs []error
	for _, n := range []string{name, name + "-energy", name + "-state"} {
		if there, err := drx.Exists(n); err != nil || there {
			errs = append(errs, err, drx.Remove(n))
		}
	}
	return errors.Join(errs...)
}

// TestWithoutEnergies: a trajectory whose energies were removed is continued; those of earlier
// frames are NaN.
func TestWithoutEnergies(t *testing.T) {
	want, name := reference(t, brief), filepath.Join(t.TempDir(), "a")
	if err := program(2, name, brief+" -frames 5"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(drx.Remove(name+"-energy"), program(2, name, "-frames=8")); err != nil {
		t.Fatal(err)
	}
	got := resultOf(t, name)
	for i, e := range got.energies {
		if frame := i / quantities; frame <= 5 != math.IsNaN(e) || frame > 5 && e != want.energies[i] {
			t.Fatalf("frame %d: energies %v, want %v", frame, e, want.energies[i])
		}
	}
	if !slices.Equal(got.frames, want.frames) {
		t.Error("another trajectory")
	}
}
