package pexta_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"drx"
	"drx/dtype"
	"drx/internal/enumtest"
	"drx/nd"
	"drx/parallel/par"
	"drx/parallel/pexta"
)

// victimVariable is the environment variable that makes this test a program that extends and writes
// an array until it is killed.
const victimVariable = "DRX_PEXTA_VICTIM"

func TestMain(m *testing.M) {
	if file := os.Getenv(victimVariable); file != "" {
		fmt.Println(par.Run(3, func(c par.Comm) error { return beVictim(c, file) }))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// The array of the victim has this many rows and columns at first.
const victimRows, victimColumns = 10, 300

// beVictim makes rounds: it extends the array by a row, lets the global array grow, and writes the
// number of the round to all elements. After each of the two commits it prints the number.
func beVictim(c par.Comm, file string) error {
	s := pexta.Start(pexta.Options{MaxMemory: pexta.MinMaxMemory})
	spec := pexta.Spec{Type: dtype.Int32, Shape: []int{victimRows, victimColumns}, ChunkShape: []int{3, 50}, File: file}
	h, err := s.Create(c, spec)
	if err != nil {
		return err
	}
	g, err := newGA(c, dtype.Int32, spec.Shape, layout{})
	if err != nil {
		return err
	}
	wait := func(what string, round int, r pexta.Request, err error) error {
		if err == nil {
			err = s.Wait(r)
		}
		if err == nil && c.Proc() == 0 && what != "" {
			fmt.Println(what, round)
		}
		return err
	}
	for round := 1; ; round++ {
		r, err := s.Extend(h, []int{1, 0}, []int{0, -1})
		if err := wait("extended", round, r, err); err != nil {
			return err
		}
		r, err = s.IRead(g, h)
		if err := wait("", round, r, err); err != nil {
			return err
		}
		if c.Proc() == 0 {
			values := slices.Repeat([]int32{int32(round)}, (victimRows+round)*victimColumns)
			if err := g.Put(whole(g.Shape()), dtype.Bytes(values)); err != nil {
				return err
			}
		}
		r, err = s.Write(g, h)
		if err := wait("written", round, r, err); err != nil {
			return err
		}
	}
}

// TestKilled: wherever a program is killed, the file is whole and has the last commit.
func TestKilled(t *testing.T) {
	all, dir := enumtest.Of(t), t.TempDir()
	rounds := 0
	for state := range 44 {
		if all.Try() {
			rounds += testKilled(t, filepath.Join(dir, fmt.Sprint(state)), 10+time.Duration(state%11)*5)
		}
	}
	if rounds == 0 {
		t.Error("no program has extended its array")
	}
}

// testKilled kills a program some milliseconds after its first commit, and returns how often it had
// extended the array.
func testKilled(t *testing.T, file string, after time.Duration) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimVariable+"="+file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	extended, written := 0, 0
	for first := true; lines.Scan(); first = false {
		if first {
			time.AfterFunc(after*time.Millisecond, func() { _ = cmd.Process.Kill() })
		}
		n := 0
		switch {
		case scanned(lines.Text(), "extended %d", &n):
			extended = n
		case scanned(lines.Text(), "written %d", &n):
			written = n
		default:
			t.Errorf("it says %q", lines.Text())
		}
	}
	_ = cmd.Wait() // killed
	if err := lastCommit(file, extended, written); err != nil {
		t.Errorf("after %d extensions and %d writes: %v", extended, written, err)
	}
	return extended
}

func scanned(text, format string, n *int) bool {
	_, err := fmt.Sscanf(text, format, n)
	return err == nil
}

// lastCommit returns an error unless a file has exactly one commit of the victim, which is not
// older than those it has announced.
func lastCommit(file string, extended, written int) error {
	a, err := drx.Open(file, drx.Options{Write: true})
	if err != nil {
		return err
	}
	report, err := a.Verify(context.Background(), nil)
	if err != nil || len(report.Damaged) > 0 {
		return fmt.Errorf("verified %+v: %w", report, err)
	}
	shape := a.Shape()
	data, err := drx.Read[int32](a, nil)
	if err := errors.Join(err, a.Close()); err != nil {
		return err
	}
	round := shape[0] - victimRows
	old := slices.Repeat([]int32{int32(round - 1)}, (shape[0]-1)*shape[1]) // extended, not written
	old = append(old, make([]int32, shape[1])...)
	if round < extended || round > extended+1 {
		return fmt.Errorf("it has %v, announced are %d extensions", shape, extended)
	}
	switch n, _ := nd.Product(shape...); {
	case slices.Equal(data, slices.Repeat([]int32{int32(round)}, n)):
		return nil
	case slices.Equal(data, old) && round > written:
		return nil
	}
	return fmt.Errorf("round %d has other elements: %v ... %v", round, data[:4], data[len(data)-4:])
}
