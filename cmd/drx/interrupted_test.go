package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"drx/cmd/drx/internal/clitest"
	"drx/cmd/drx/internal/interrupt"
)

// TestInterruption checks that interrupted verbs change nothing and leave no file.
func TestInterruption(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"create", "A", "--dtype", "int8", "--shape", "2,2"},
		{"fill", "A", "--value", "1"},
		{"read", "A", "-o", "in.npy"},
		{"create", "B", "--dtype", "int8", "--shape", "2,2"},
	} {
		if code := run(context.Background(), args, nil, io.Discard, io.Discard); code != 0 {
			t.Fatalf("%v: exit code %d", args, code)
		}
	}
	before := clitest.Names(t, ".")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"write", "B", "in.npy"},
		{"read", "A", "-o", "out.npy"},
		{"read", "A"},
		{"read", "A", "--csv"},
		{"verify", "A"},
		{"ls"},
	} {
		var complaint strings.Builder
		code := run(ctx, args, nil, io.Discard, &complaint)
		want := "drx: interrupted\n"
		if args[0] == "write" {
			want = "drx: interrupted; B is as it was before\n"
		}
		if code != interrupt.ExitSignal || complaint.String() != want {
			t.Errorf("%v: exit code %d, %q", args, code, complaint.String())
		}
	}
	if after := clitest.Names(t, "."); after != before {
		t.Errorf("files %s, before %s", after, before)
	}
	var list strings.Builder
	if code := run(context.Background(), []string{"verify", "B"}, nil, &list, io.Discard); code != 0 || list.String() != "B: 0 of 1 chunks written, all good\n" {
		t.Errorf("exit code %d, %q", code, list.String())
	}
}
