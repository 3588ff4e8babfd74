package view

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"drx/cmd/drx/internal/cli"
)

// run executes one command line of a program whose only verb is view.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return cli.Run(ctx, cli.NewRoot(New), args, stdin, stdout, stderr)
}

// drxRun runs one command line and returns its output.
func drxRun(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}
