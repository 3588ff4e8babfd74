package drx

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestKilledOften kills writers at moments counted from their start, many of them while they open the array and
// complete what the previous one left. Several die one after the other before the array is checked.
// (TestKilledWriter lets each writer commit, and has readers.)
func TestKilledOften(t *testing.T) {
	rounds := 25 / len(bothForms)
	if testing.Short() {
		rounds = 4
	}
	for _, name := range bothForms {
		t.Run(name, func(t *testing.T) { testKilledOften(t, createVersionZero(t, name), rounds) })
	}
}

func testKilledOften(t *testing.T, file string, rounds int) {
	rng := rand.New(rand.NewPCG(12, 12))
	version, committed := 0, 0
	should := newVersionContents()
	for round := range rounds {
		for range 6 {
			last, err := runAndKill(file, time.Duration(rng.IntN(30_000))*time.Microsecond)
			if err != nil {
				t.Fatal(err)
			}
			if last > 0 {
				committed++
			}
			version = max(version, last)
		}
		version = should.check(t, file, version, 6)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	t.Logf("%d writers, %d of them committed something, %d versions", 6*rounds, committed, version)
	if version == 0 || committed == 6*rounds {
		t.Errorf("%d versions by %d of %d writers: the moments are badly chosen", version, committed, 6*rounds)
	}
}

// runAndKill runs a writer process for a while and returns the last version that it reported as committed, 0
// for none.
func runAndKill(file string, lifetime time.Duration) (last int, err error) {
	exe, err := os.Executable()
	if err != nil {
		return 0, err
	}
	var out bytes.Buffer
	cmd := exec.Command(exe, "-test.run=^TestVersionWriterProcess$")
	cmd.Env = append(os.Environ(), versionWriterEnv+"="+file)
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	time.Sleep(lifetime)
	_ = cmd.Process.Kill() // it may have ended, which Wait reports
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		return 0, fmt.Errorf("the writer ended by itself: %w: %s", err, out.String())
	}
	lines := bytes.Split(out.Bytes(), []byte("\n"))
	for _, line := range lines[:len(lines)-1] { // the text after the last newline is incomplete
		if _, err := fmt.Sscanf(string(line), "version %d", &last); err != nil {
			return 0, fmt.Errorf("the writer says %q", line)
		}
	}
	return last, nil
}
