package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/clitest"
	"drx/cmd/drx/internal/interrupt"
)

// TestCopyInterrupted checks that an interrupted copy says how to continue it, and that this works.
func TestCopyInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"create", "A", "--dtype", "int32", "--shape", "128,128", "--chunk", "1,128", "--fill", "7"},
		{"attr", "A", "units=K"},
		{"fill", "A", "--value", "5"},
	} {
		if code := run(context.Background(), args, nil, io.Discard, io.Discard); code != 0 {
			t.Fatalf("%v: exit code %d", args, code)
		}
	}
	said := 0
	for n := time.Duration(1); ; n++ {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(n*2*time.Millisecond, cancel)
		var complaint strings.Builder
		code := run(ctx, []string{"copy", "A", "B", "--chunk", "128,1", "--memory", "8KiB", "--resume"}, nil, io.Discard, &complaint)
		cancel()
		if code == 0 {
			break
		}
		if code != interrupt.ExitSignal || n > 500 {
			t.Fatalf("exit code %d, %q", code, complaint.String())
		}
		if code := run(context.Background(), []string{"info", "B"}, nil, io.Discard, io.Discard); code != cli.ExitFailure {
			t.Fatalf("interrupted after %v, B seems to be complete", n*2*time.Millisecond)
		}
		if complaint.String() == "drx: interrupted; the copy is not complete; continue with --resume\n" {
			said++
		}
	}
	if said == 0 {
		t.Error("it never said how to continue")
	}
	var sum strings.Builder
	if code := run(context.Background(), []string{"info", "B", "--json"}, nil, &sum, io.Discard); code != 0 || !strings.Contains(sum.String(), `"attrs":{"units":"K"}`) {
		t.Errorf("exit code %d, %s", code, sum.String())
	}
	if left := clitest.Names(t, "."); strings.Contains(left, "relayout") {
		t.Errorf("left: %s", left)
	}
}

// An error about the target must name it, even if the source is wrong as well.
func TestCopyNamesTarget(t *testing.T) {
	dir := t.TempDir()
	if code, _, complaint := drxIn(t, dir, "create", "A", "--dtype", "int8", "--shape", "4,5"); code != 0 {
		t.Fatal(complaint)
	}
	for _, chunk := range []string{"0,1", "2", "9223372036854775807,4"} {
		code, _, complaint := drxIn(t, dir, "copy", "A", "B\x1b", "--chunk", chunk)
		if code != cli.ExitUsage || !strings.HasPrefix(complaint, `drx: "B\x1b": `) {
			t.Errorf("--chunk %s: exit code %d, %s", chunk, code, complaint)
		}
	}
}
