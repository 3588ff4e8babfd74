//go:build mpi

package main

import (
	"fmt"
	"strings"
	"testing"

	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// ask4 sends a request to a job of four goroutines.
func ask4(t *testing.T, line string) (answers [4]string, err error) {
	t.Helper()
	err = par.Run(4, func(c par.Comm) error {
		j := &jobChild{comm: c}
		var err error
		answers[c.Proc()], err = j.answer(line)
		return err
	})
	return answers, err
}

// DRX-MP must write, read and extend an array with both engines, and all procs must return the same
// answer.
func TestJobChild(t *testing.T) {
	var sum, grown, beyond uint64
	for i := range 16 {
		for j := range 64 {
			v := valueAt([]int{i, j})
			if grown += v; j < 32 {
				sum += v
			}
		}
	}
	for i := range 22 {
		for j := range 42 {
			beyond += valueAt([]int{i, j})
		}
	}
	for _, e := range []drxmp.Engine{drxmp.Direct, drxmp.MPIIO} {
		args := strings.Join(jobArgs(t.TempDir(), "2,2", "16,32"), " ") + " engine=" + e.String()
		section := strings.Join(jobArgs(t.TempDir(), "2,2", "16,32"), " ") + " offset=1 engine=" + e.String()
		growing := strings.Join(jobArgs(t.TempDir(), "4,1", "16,32"), " ") + " engine=" + e.String()
		extended := strings.Join(jobArgs(t.TempDir(), "1,4", "16,32"), " ") + " engine=" + e.String()
		for _, r := range []struct {
			request     string
			check, work uint64
		}{{"write " + args, 0, 1}, {"read " + args, sum, 1}, {"read again=1 " + args, sum, 1}, {"grow by=16 rounds=2 " + growing, grown, 2}, {"extend steps=0:5,1:3,0:1,1:7 " + extended, beyond, 4}, {"write-section " + section, 0, 1}, {"read-section " + section, sectionSum(1, 8, 16), 1}} {
			answers, err := ask4(t, r.request)
			if err != nil {
				t.Fatalf("%s: %v", r.request, err)
			}
			for p, a := range answers {
				if got, err := parseAnswer(a); err != nil || got.check != fmt.Sprint(r.check) || got.ops != float64(r.work) {
					t.Errorf("%s: proc %d answers %q, %v, want the check %d", r.request, p, a, err, r.check)
				}
			}
		}
	}
}

func TestJobChildRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"dance":         "error proc 0: there is no dance",
		"write shape=x": "shape=x",
		"extend steps=2:1 " + strings.Join(jobArgs(t.TempDir(), "1,4", "16,32"), " "):   "steps: 2:1",
		"write engine=steam " + strings.Join(jobArgs("/nowhere", "2,2", "16,32"), " "):  "steam",
		"write engine=direct " + strings.Join(jobArgs("/nowhere", "2,2", "16,36"), " "): "36 elements in 2 blocks",
		"read engine=direct " + strings.Join(jobArgs("/nowhere", "2,2", "16,32"), " "):  "nowhere",
	} {
		answers, err := ask4(t, line)
		if err == nil || !strings.HasPrefix(answers[0], "error ") || !strings.Contains(answers[3], want) {
			t.Errorf("%q: answers %q, error %v, want %q", line, answers, err, want)
		}
	}
}
