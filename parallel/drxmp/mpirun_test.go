package drxmp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"drx"
	"drx/parallel/drxmp"
	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/partest"
)

// endMark is the line that every process prints at its end: not every mpirun notices a missing
// process.
const endMark = "all tests of this process have ended"

// TestMain ends MPI if mpirun has started this test. With an environment variable set, it runs
// another program instead.
func TestMain(m *testing.M) {
	if name := os.Getenv(writerVariable); name != "" {
		beWriter(name)
		os.Exit(0)
	}
	code := m.Run()
	if mpi.Launched() {
		if err := mpi.Finalize(); err != nil {
			fmt.Println(err)
			code = 1
		}
		if code == 0 {
			fmt.Println(endMark)
			partest.Linger()
		}
	}
	os.Exit(code)
}

// TestUnderMpirun runs the conformance test in processes that mpirun starts.
func TestUnderMpirun(t *testing.T) {
	if mpi.Launched() {
		t.Skip("mpirun has started this")
	}
	program := partest.Program(t, mpi.Built, mpi.Command)
	counts, args := []int{1, 2, 3, 4}, []string{program, "-test.run", "^TestConformance$", "-test.timeout", "300s"}
	if mpi.Command == "mpirun.mpich" { // its processes wait busily
		counts, args = counts[:2], append(args, "-test.short")
	}
	for _, n := range counts {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			out, err := partest.Mpirun(t, mpi.Command, fmt.Sprint(n), args...)
			if err != nil || strings.Count(out, endMark) != n {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}

// victimVariable is the environment variable that makes processes work on an array until one of
// them is killed.
const victimVariable = "DRXMP_TEST_VICTIM"

// TestKilled: if a process is killed between collective writes the job ends, and the files are
// those of the last commit.
func TestKilled(t *testing.T) {
	if mpi.Launched() {
		t.Skip("mpirun has started this")
	}
	program := partest.Program(t, mpi.Built, mpi.Command)
	for victim, engine := range []string{"direct", "mpiio"} {
		dir, form := t.TempDir(), forms[victim]
		t.Setenv(victimVariable, fmt.Sprintf("%s %s %d %q", dir, engine, victim, form))
		begun := time.Now()
		out, err := partest.Mpirun(t, mpi.Command, "2", program, "-test.run", "^TestVictim$")
		if err == nil || strings.Contains(out, endMark) || time.Since(begun) > time.Minute {
			t.Errorf("after %v the others have not noticed: %v\n%s", time.Since(begun), err, out)
		}
		err = par.Run(1, func(c par.Comm) error { return afterFailing(&world{Comm: c, dir: dir, form: form}) })
		if err != nil {
			t.Errorf("%s: %v\n%s", engine, err, out)
		}
	}
}

// busyVariable is the environment variable that makes processes write and commit until the leader
// is killed.
const busyVariable = "DRXMP_TEST_BUSY"

// TestKilledBusy: if the leader is killed while it writes, or commits, the job ends, and the files
// are those of one commit as a whole.
func TestKilledBusy(t *testing.T) {
	if mpi.Launched() {
		t.Skip("mpirun has started this")
	}
	program := partest.Program(t, mpi.Built, mpi.Command)
	for _, form := range forms {
		testKilledBusy(t, program, filepath.Join(t.TempDir(), "a"+form))
	}
}

func testKilledBusy(t *testing.T, program, name string) {
	t.Setenv(busyVariable, name)
	out, err := partest.Mpirun(t, mpi.Command, "3", program, "-test.run", "^TestBusy$")
	if err == nil || strings.Contains(out, endMark) {
		t.Fatalf("the others have not noticed: %v\n%s", err, out)
	}
	a, err := drx.Open(name, drx.Options{Write: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	report, err := a.Verify(context.Background(), nil)
	if err != nil || len(report.Damaged) > 0 {
		t.Errorf("%+v, %v", report, err)
	}
	data, err := drx.Read[int32](a, nil)
	if err = errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(data, func(x int32) bool { return x != data[0] }) || data[0] == 0 {
		t.Errorf("of several commits, or none: %v", data[:8])
	}
}

// TestBusy is a process of a program whose leader is killed while it works.
func TestBusy(t *testing.T) {
	name := os.Getenv(busyVariable)
	if name == "" || !mpi.Launched() {
		t.Skip("runs by TestKilledBusy")
	}
	t.Fatal(mpi.Run(func(c par.Comm) error {
		a, err := drxmp.Create(c, name, failingSpec(), drxmp.Options{})
		for i := int32(1); err == nil; i++ {
			if err = fillZone(a, i, drxmp.WriteAll); err == nil {
				err = a.Sync()
			}
			if i == 3 && c.Proc() == 0 {
				time.AfterFunc(time.Duration(rand.IntN(50))*time.Millisecond, func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) })
			}
		}
		return err
	}))
}

// TestVictim is a process of a program in which one process is killed where it would otherwise
// fail, or learn of a failure.
func TestVictim(t *testing.T) {
	var dir, engine, form string
	var victim int
	if _, err := fmt.Sscanf(os.Getenv(victimVariable), "%s %s %d %q", &dir, &engine, &victim, &form); err != nil || !mpi.Launched() {
		t.Skip("runs by TestKilled")
	}
	e, err := drxmp.ParseEngine(engine)
	if err != nil {
		t.Fatal(err)
	}
	err = mpi.Run(func(c par.Comm) error {
		err := failing(&world{c, dir, form, e}, errPlanned)
		if c.Proc() == victim {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return err
	})
	t.Fatal(err)
}
