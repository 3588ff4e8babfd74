package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// left matches examples that need what a test does not have, a C library or another host, and
// those of animations, which take long.
var left = regexp.MustCompile(`\.(nc|h5|gn3|tif|parquet)\b|--other-host|\bssh |--animate`)

// endless matches examples that run until they are interrupted.
var endless = regexp.MustCompile(`^drx (hyper )?watch (radar|scene)( --since .*| --method .*)?$`)

// TestHelpExamples runs the examples of the help, all of a verb in one folder, in which
// testdata/examples.sh has made what they use.
func TestHelpExamples(t *testing.T) {
	base := t.TempDir()
	makeExamples(t, base, "", "")
	var walk func(cmd *cobra.Command, name string)
	walk = func(cmd *cobra.Command, name string) {
		if lines := examplesOf(cmd); len(lines) > 0 && name != "demo" { // other tests take the tour
			t.Run(name, func(t *testing.T) { runExamples(t, name, lines, base) })
		}
		for _, below := range cmd.Commands() {
			walk(below, strings.TrimPrefix(name+"-"+below.Name(), "-"))
		}
	}
	walk(newRoot(), "")
}

// examplesOf returns the examples of a command or of a topic, also those in its text, which begin
// with two blanks and end before the next two.
func examplesOf(cmd *cobra.Command) (lines []string) {
	for _, line := range strings.Split(cmd.Long, "\n") {
		if strings.HasPrefix(line, "  drx ") {
			line, _, _ = strings.Cut(strings.TrimSpace(line), "  ")
			lines = append(lines, line)
		}
	}
	for line := range strings.Lines(cmd.Example) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

// shell returns a command line of the shell in a folder.
func shell(dir, text string, args ...string) *exec.Cmd {
	cmd := exec.Command("sh", append([]string{"-c", text, "sh"}, args...)...)
	cmd.Dir = dir
	return cmd
}

// makeExamples makes what the examples of a verb use.
func makeExamples(t *testing.T, dir, verb, base string) {
	pictures, err := filepath.Abs("demodata")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/examples.sh")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := shell(dir, string(script), verb, pictures, base).CombinedOutput(); err != nil {
		t.Fatalf("examples.sh %s: %v: %s", verb, err, out)
	}
}

func runExamples(t *testing.T, name string, lines []string, base string) {
	t.Parallel()
	dir := t.TempDir()
	makeExamples(t, dir, name, base)
	for _, line := range lines {
		if left.MatchString(line) {
			continue
		}
		// Folders of the root are folders of the test. One example waits for a change. What is endless
		// replaces the shell, which an interrupt ends with an error.
		line = regexp.MustCompile(`(^|\s)/(mnt|net|tmp)/`).ReplaceAllString(line, "$1$2/")
		if strings.Contains(line, "watch radar --count 1") {
			line = "(sleep 0.5; drx attr radar changed=true) & " + line
		}
		if endless.MatchString(line) {
			line = "exec " + line
		}
		if err := runExample(shell(dir, line), strings.HasPrefix(line, "exec ")); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// runExample runs a command line, in a minute at most. An endless one is interrupted after a
// second.
func runExample(cmd *exec.Cmd, endless bool) error {
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	end := func(s syscall.Signal) func() { return func() { _ = syscall.Kill(-cmd.Process.Pid, s) } }
	defer time.AfterFunc(time.Minute, end(syscall.SIGKILL)).Stop()
	if endless {
		defer time.AfterFunc(time.Second, end(syscall.SIGINT)).Stop()
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, out.String())
	}
	return nil
}
