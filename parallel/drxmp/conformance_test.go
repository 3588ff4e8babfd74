package drxmp_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"drx/parallel/drxmp"
	"drx/parallel/mpi"
	"drx/parallel/par"
)

// launch runs a program in the procs that mpirun has started, otherwise in procs goroutines.
func launch(procs int, f func(par.Comm) error, o ...par.Options) error {
	if mpi.Launched() {
		return mpi.Run(f, o...)
	}
	return par.Run(procs, f, o...)
}

// counts returns the numbers of procs to test with.
func counts() []int {
	if mpi.Launched() {
		return []int{0} // mpirun decides
	}
	return []int{1, 2, 3, 4, 7}
}

// TestConformance runs the programs that must work with every kind of proc, with every engine, and
// with arrays in several files and in one.
func TestConformance(t *testing.T) {
	drxmp.SetRoundBytes(4000) // so that there are several rounds
	for _, n := range counts() {
		for _, engine := range []drxmp.Engine{drxmp.Direct, drxmp.MPIIO} {
			for _, form := range forms {
				t.Run(fmt.Sprintf("%d-%v%s", n, engine, form), func(t *testing.T) { testConformance(t, n, engine, form) })
			}
		}
	}
}

func testConformance(t *testing.T, n int, engine drxmp.Engine, form string) {
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) {
			if !mpi.Launched() {
				t.Parallel() // most of the time they wait for the disk
			}
			if err := launch(n, func(c par.Comm) error { return inFolder(c, engine, form, part.test) }); err != nil {
				t.Fatal(err)
			}
		})
	}
	t.Run("failing", func(t *testing.T) { testFailing(t, n, engine, form, errPlanned) })
	if n == 0 || n == 3 {
		o := par.Options{Timeout: 300 * time.Millisecond}
		t.Run("idle", func(t *testing.T) { testFailing(t, n, engine, form, par.ErrTimeout, o) })
	}
}

// testFailing: if a proc fails, or stops making calls, all procs get an error, and the files are
// those of the last commit.
func testFailing(t *testing.T, n int, engine drxmp.Engine, form string, want error, o ...par.Options) {
	var dir string
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	begun := time.Now()
	err := launch(n, func(c par.Comm) error {
		w, err := newWorld(c, engine, form)
		if err != nil {
			return err
		}
		if c.Proc() == 0 {
			dir = w.dir // this process needs it, whatever the procs are
		}
		return failing(w, want)
	}, o...)
	if mpi.Launched() && n == 0 && errors.Is(err, errAlone) {
		return
	}
	if d := time.Since(begun); !errors.Is(err, want) || d > time.Minute {
		t.Fatalf("after %v: %v", d, err)
	}
	if err := launch(n, func(c par.Comm) error { return afterFailing(&world{c, dir, form, engine}) }); err != nil {
		t.Fatal(err)
	}
}

// amount returns how many of n random cases to try: fewer with -short, and under mpirun.
func amount(n uint64) uint64 {
	switch {
	case testing.Short():
		return (n + 5) / 6
	case mpi.Launched():
		return (n + 1) / 2
	}
	return n
}

// parts holds the programs of the conformance test.
var parts = []struct {
	name string
	test func(*world) error
}{
	{"histories", testHistories},
	{"figure 1", testFigure1},
	{"scan", testScan},
	{"verify", testVerify},
	{"reduce", testReduce},
	{"attributes", testAttrs},
	{"outside", testOutside},
	{"growing", testGrowing},
	{"compacted", testCompacted},
	{"another dimension", testAnotherDim},
	{"replaced", testReplaced},
	{"regrown", testRegrown},
	{"regrown sparse", testRegrownSparse},
	{"background", testBackground},
	{"beside", testBeside},
	{"one proc", testOneProc},
	{"strided", testStrided},
	{"fill", testFill},
	{"read beside write", testReadBesideWrite},
	{"pending remote writes", testPendingRemoteWrites},
	{"start order", testStartOrder},
	{"differ", testDiffer},
	{"two arrays", testTwoArrays},
	{"two in the background", testTwoInBackground},
	{"errors", testErrors},
	{"global array", testGlobalArray},
	{"global array errors", testGlobalArrayErrors},
}

// forms are the extensions of arrays in several files and in one file.
var forms = []string{"", ".drx"}

// A world is the environment of a program, as one proc has it.
type world struct {
	par.Comm
	dir    string // a folder that all procs reach
	form   string // the extension of arrays: of one file, or none
	engine drxmp.Engine
}

// file returns the name of an array.
func (w *world) file(name string) string { return filepath.Join(w.dir, name+w.form) }

// newWorld creates a folder, the same on all procs.
func newWorld(c par.Comm, engine drxmp.Engine, form string) (*world, error) {
	var name string
	var err error
	if c.Proc() == 0 {
		name, err = os.MkdirTemp("", "drxmp")
	}
	if err := c.Agree("folder", err); err != nil {
		return nil, err
	}
	all, err := c.AllGather([]byte(name))
	if err != nil {
		return nil, err
	}
	return &world{c, string(all[0]), form, engine}, nil
}

// inFolder calls f with a new folder, which it removes afterwards.
func inFolder(c par.Comm, engine drxmp.Engine, form string, f func(*world) error) error {
	w, err := newWorld(c, engine, form)
	if err != nil {
		return err
	}
	if err := f(w); err != nil {
		return err
	}
	return w.once(func() error { return os.RemoveAll(w.dir) })
}

// once calls f on one proc; the others wait for it.
func (w *world) once(f func() error) error { return w.by(0, f) }

func (w *world) by(proc int, f func() error) error {
	var err error
	if w.Proc() == proc {
		err = f()
	}
	return w.Agree("once", err)
}
