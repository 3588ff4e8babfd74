package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"drx"
	"drx/internal/enumtest"
)

// The memory that a session may use beside its own: what the runtime leaves unused or has for
// threads, of which a busy machine starts more, and pages of A and B that are mapped, which belong
// to the page cache. Package mapped has four units of 2 MiB of a file at least, for each proc.
const (
	unused = 7 << 20
	mapped = 2 * 4 * 2 << 20
)

// TestMemory: the matrices of a session together exceed six times its memory. The session allocates
// no more than that memory, and its process is never larger than that plus the mapped pages: less
// than half of the matrices.
func TestMemory(t *testing.T) {
	if _, err := os.ReadFile("/proc/self/status"); err != nil {
		t.Skip("needs /proc: ", err)
	}
	if enumtest.Race {
		t.Skip("the race detector takes memory of its own")
	}
	const n, memory = 3072, 32 << 20
	p := newProblem(t, span{0, n}, span{0, n}, span{0, n}, [2]bool{}, func(seed uint64) func(i, j int) float64 {
		return func(i, j int) float64 { return float64(i*7+j*int(seed)) / 1024 }
	})
	for _, procs := range []int{1, 4} {
		if found, err := drx.Exists(p.c); err != nil || found && drx.Remove(p.c) != nil {
			t.Fatal("C cannot be removed: ", err)
		}
		resident, allocated := p.peak(t, procs, 1) // opens the arrays, and refuses to continue
		more, moreAllocated := p.peak(t, procs, memory)
		t.Logf("%d procs: %d KiB resident, %d KiB allocated", procs, (more-resident)>>10, (moreAllocated-allocated)>>10)
		if most := memory + unused + procs*mapped; 2*most > 3*8*n*n {
			t.Fatalf("the limit is %d bytes, more than half of the matrices", most)
		}
		if moreAllocated -= allocated; moreAllocated > memory+unused {
			t.Errorf("%d procs allocate %d KiB, want at most %d", procs, moreAllocated>>10, (memory+unused)>>10)
		}
		if more -= resident; more > memory+unused+procs*mapped {
			t.Errorf("%d procs use %d KiB, want at most %d", procs, more>>10, (memory+unused+procs*mapped)>>10)
		}
	}
}

// peak runs a session in a process of its own. It returns the largest resident memory and what Go
// had from the system, in bytes.
func (p *problem) peak(t *testing.T, procs int, memory int64) (resident, allocated int) {
	program := exec.Command(os.Args[0], p.dir, fmt.Sprint(procs))
	program.Env = append(os.Environ(), killVariable+"=never,1,0", memoryVariable+"="+strconv.FormatInt(memory, 10))
	out, err := program.CombinedOutput()
	if (err == nil) != (memory > 1) {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := fmt.Sscanf(string(out), "VmHWM: %d kB allocated: %d", &resident, &allocated); err != nil {
		t.Fatalf("%v: %s", err, strings.TrimSpace(string(out)))
	}
	return resident << 10, allocated << 10
}
