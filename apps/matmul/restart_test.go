package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"drx"
	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/partest"
	"drx/parallel/spmd"
)

// killVariable makes this test the program matmul, which is killed. Its value is "POINT,N,PROC":
// the program is killed, with all its goroutine procs, when proc PROC, or any proc for "all",
// reaches the point for the N-th time.
const killVariable = "MATMUL_TEST_KILL"

// memoryVariable is the memory of that program in bytes, all procs together, instead of small. The
// program then prints its peak: of resident memory, and of what Go has from the system.
const memoryVariable = "MATMUL_TEST_MEMORY"

func TestMain(m *testing.M) {
	if where := os.Getenv(killVariable); where != "" {
		beProgram(where, os.Args[1:])
	}
	os.Exit(m.Run())
}

// beProgram runs a session of the arrays A, B and C in a folder. The arguments are the folder and
// the number of goroutine procs.
func beProgram(where string, args []string) {
	debug.SetGCPercent(garbage)
	partest.LimitFiles()
	fields := strings.Split(where, ",")
	n, _ := strconv.Atoi(fields[1])
	procs, _ := strconv.Atoi(args[1])
	var came atomic.Int64
	err := spmd.Run(procs, func(c par.Comm) error {
		p := &problem{dir: args[0], c: filepath.Join(args[0], "C"), a: &matrix{name: filepath.Join(args[0], "A")}, b: &matrix{name: filepath.Join(args[0], "B")}}
		s := p.settings(c.Procs())
		if text := os.Getenv(memoryVariable); text != "" {
			s.memory, _ = strconv.ParseInt(text, 10, 64)
			s.chunk, s.every = 32, time.Minute
		}
		s.reached = func(point string, proc int) error {
			if point == fields[0] && (fields[2] == strconv.Itoa(proc) || fields[2] == "all") && came.Add(1) == int64(n) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
			return nil
		}
		_, err := session(c, s)
		return err
	})
	if os.Getenv(memoryVariable) != "" {
		status, _ := os.ReadFile("/proc/self/status")
		_, peak, _ := strings.Cut(string(status), "VmHWM:")
		peak, _, _ = strings.Cut(peak, "\n")
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println("VmHWM:", peak, "allocated:", m.Sys>>10)
	}
	spmd.Exit(err)
}

// grownProblem returns a problem with a C that is grown in all dimensions, and what C must be when
// it is done.
func grownProblem(t *testing.T) (p *problem, want []float64) {
	p = newProblem(t, span{0, 50}, span{0, 40}, span{0, 300}, [2]bool{}, normal)
	if _, err := runSession(2, p.settings(2)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.a.grow(1, 60, false), p.b.grow(0, 70, false), p.b.grow(1, 33, true), p.a.grow(0, 45, false)); err != nil {
		t.Fatal(err)
	}
	if err := drx.CopyFiles(t.Context(), p.c, p.c+"0", nil); err != nil {
		t.Fatal(err)
	}
	before := p.c
	p.c += "1"
	p.reset(t)
	if _, err := runSession(3, p.settings(3)); err != nil {
		t.Fatal(err)
	}
	want = p.result(t)
	p.c = before
	return p, want
}

// reset restores C as it was before the session.
func (p *problem) reset(t *testing.T) {
	found, err := drx.Exists(p.c)
	if err == nil && found {
		err = drx.Remove(p.c)
	}
	if err == nil {
		err = drx.CopyFiles(t.Context(), p.dir+"/C0", p.c, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var errStopped = errors.New("stopped by the test")

// TestStoppedAnywhere: one proc panics, or all return an error, when one has come to any of three
// points of a session for the n-th time, for all n, and another session, with another number of
// procs, gives the same bits. It computes only what was not committed: nothing of the last tile, or
// of several.
func TestStoppedAnywhere(t *testing.T) {
	p, want := grownProblem(t)
	for _, point := range []string{"written", "recorded", "committed"} {
		for n := 1; ; n++ {
			p.reset(t)
			procs := 1 + n%4
			var came [4]int
			s := p.settings(procs)
			if point == "written" && n%4 > 1 {
				s.every = time.Hour // one commit for each box of products
			}
			s.reached = func(at string, proc int) error {
				if at == point {
					if came[proc]++; came[proc] == n && proc == procs-1 {
						if n%2 == 0 {
							panic("killed by the test") // only this proc; the others notice
						}
						return errStopped // on all procs
					}
				}
				return nil
			}
			first, err := runSession(procs, s)
			if err == nil {
				if n < 4 {
					t.Fatalf("a session comes to %q %d times only", point, n-1)
				}
				break
			}
			if !errors.Is(err, errStopped) && !strings.Contains(err.Error(), "killed by the test") {
				t.Fatal(err)
			}
			missing := p.missing(t)
			second, err := runSession(1+(n+1)%4, p.settings(1+(n+1)%4))
			if err != nil || second.products != missing {
				t.Fatalf("after %d tiles: %v products, want %v, %v", first.tiles, second.products, missing, err)
			}
			sameBits(t, p.result(t), want)
		}
	}
}

// TestKilled: the same for processes that are killed.
func TestKilled(t *testing.T) {
	p, want := grownProblem(t)
	for _, where := range []string{"written,1,0", "recorded,2,1", "committed,3,0"} {
		p.reset(t)
		killed := exec.Command(os.Args[0], p.dir, "2")
		killed.Env = append(os.Environ(), killVariable+"="+where)
		if out, err := killed.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("%s: %v: %s", where, err, out)
		}
		if _, err := runSession(3, p.settings(3)); err != nil {
			t.Fatal(err)
		}
		sameBits(t, p.result(t), want)
	}
}

// TestKilledAnyTime: the same after random times.
func TestKilledAnyTime(t *testing.T) {
	p, want := grownProblem(t)
	killed := partest.KillAnyTime(t, 3*time.Millisecond, func() *exec.Cmd { return p.command(3) })
	if killed == 0 {
		t.Error("the program ended before it could be killed")
	}
	sameBits(t, p.result(t), want)
}

// TestFullDisk: the same when the disk is full, first for C, then for its journal.
func TestFullDisk(t *testing.T) {
	p, want := grownProblem(t)
	failed := partest.FillDisk(t, 3000, func(run int) *exec.Cmd { return p.command(1 + run%3) })
	if failed < 10 {
		t.Errorf("only %d runs have failed", failed)
	}
	sameBits(t, p.result(t), want)
}

// command returns the program as a process of its own.
func (p *problem) command(procs int) *exec.Cmd {
	cmd := exec.Command(os.Args[0], p.dir, strconv.Itoa(procs))
	cmd.Env = append(os.Environ(), killVariable+"=never,1,0")
	return cmd
}

// TestShrunkC: a C that has fewer elements than its record says is refused, and not filled with
// zeros.
func TestShrunkC(t *testing.T) {
	p := newProblem(t, span{0, 50}, span{0, 60}, span{0, 70}, [2]bool{}, integers)
	if _, err := runSession(2, p.settings(2)); err != nil {
		t.Fatal(err)
	}
	c, err := drx.Open(p.c, drx.Options{Write: true})
	if err == nil {
		err = errors.Join(c.Shrink(1, 10), c.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runSession(2, p.settings(2)); err == nil || !strings.Contains(err.Error(), "has shrunk") {
		t.Error(err)
	}
}

// TestMpirun: processes of MPI give the same bits, also after one of them, or all, were killed.
func TestMpirun(t *testing.T) {
	program := partest.Program(t, mpi.Built, mpi.Command)
	p, want := grownProblem(t)
	for _, where := range []string{"recorded,2,1", "written,1,all", "never,1,0"} {
		t.Setenv(killVariable, where)
		if out, err := partest.Mpirun(t, mpi.Command, "3", program, p.dir, "0"); (err == nil) != (where == "never,1,0") {
			t.Fatalf("%s: %v: %s", where, err, out)
		}
	}
	sameBits(t, p.result(t), want)
}

// TestGrowthDuringASession: another program extends A and B while a session goes on, which then
// multiplies what is new, too. What has the attribute "growing" waits for a later session.
func TestGrowthDuringASession(t *testing.T) {
	p := newProblem(t, span{0, 50}, span{0, 60}, span{0, 70}, [2]bool{true, false}, integers)
	s := p.settings(3)
	var once atomic.Bool
	s.reached = func(point string, proc int) error {
		if proc != 0 || point != "written" || once.Swap(true) {
			return nil
		}
		return errors.Join(p.a.grow(1, 20, false), p.a.grow(0, 30, false), p.b.grow(0, 30, false), p.b.grow(1, 7, true))
	}
	done, err := runSession(3, s)
	if err != nil {
		t.Fatal(err)
	}
	p.checkExact(t)
	if done.products != 70*67*100 {
		t.Errorf("%v products, want 70 x 67 x 100", done.products)
	}
	before := p.goal()
	if err := errors.Join(setAttr(p.a.name, true), p.a.grow(1, 5, false)); err != nil {
		t.Fatal(err)
	}
	s = p.settings(2)
	if done, err := runSession(2, s); !errors.Is(err, errGrowing) || done.tiles > 0 || !strings.Contains(err.Error(), p.a.name+" has the attribute") {
		t.Errorf("a session while A is growing from %v: %d tiles, %v", before, done.tiles, err)
	}
	if err := setAttr(p.a.name, false); err != nil {
		t.Fatal(err)
	}
	if done, err := runSession(2, s); err != nil || done.products != 5*67*100 {
		t.Errorf("%v products, %v", done.products, err)
	}
	p.checkExact(t)
}

// TestCommitsInTime: a session commits before the chunks of C that are not committed need too much
// memory, however long it may compute between commits.
func TestCommitsInTime(t *testing.T) {
	p := newProblem(t, span{0, 640}, span{0, 640}, span{0, 8}, [2]bool{}, integers)
	s := p.settings(2)
	s.every = time.Hour
	done, err := runSession(2, s)
	if err != nil {
		t.Fatal(err)
	}
	p.checkExact(t)
	chunks, most := 40*40, small/16/pendingBytes
	if least := chunks / (2 * most); done.commits < least || done.commits == done.tiles {
		t.Errorf("%d commits of %d tiles, want at least %d, as there are %d chunks", done.commits, done.tiles, least, chunks)
	}
}

// setAttr sets or removes the attribute "growing".
func setAttr(name string, growing bool) error {
	a, err := drx.Open(name, drx.Options{Write: true})
	if err != nil {
		return err
	}
	if growing {
		err = a.SetAttr(growingAttr, true)
	} else {
		err = a.DeleteAttr(growingAttr)
	}
	return errors.Join(err, a.Close())
}
