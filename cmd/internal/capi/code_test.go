package capi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/relayout"
)

// TestCodes checks the code of every sentinel, wrapped as the packages wrap them.
func TestCodes(t *testing.T) {
	for err, want := range map[error]Code{
		nil: OK, ErrHandle: CodeHandle, drx.ErrClosed: CodeClosed, ErrInvalid: CodeInvalid, drx.ErrRank: CodeRank, drx.ErrBounds: CodeBounds,
		drx.ErrOverflow: CodeOverflow, drx.ErrDType: CodeDType, drx.ErrSize: CodeSize, drx.ErrReadOnly: CodeReadOnly, drx.ErrLocked: CodeLocked, drx.ErrFenced: CodeFenced, drx.ErrStale: CodeStale,
		drx.ErrVersion: CodeVersion, drx.ErrCorrupt: CodeCorrupt, drx.ErrIncomplete: CodeIncomplete, fs.ErrNotExist: CodeNotExist,
		fs.ErrExist: CodeExist, fs.ErrPermission: CodePermission, fs.ErrInvalid: CodeInvalid, syscall.ENOSPC: CodeNoSpace, syscall.EDQUOT: CodeNoSpace,
		io.ErrUnexpectedEOF: CodeIO, ErrNoAttr: CodeNoAttr, relayout.ErrMemory: CodeMemory, relayout.ErrMismatch: CodeMismatch,
		dataset.ErrDim: CodeDataset, dataset.ErrVariable: CodeDataset, dataset.ErrGroup: CodeDataset, dataset.ErrValue: CodeValue,
		cube.ErrLabel: CodeValue, cube.ErrWhere: CodeValue, ErrCancelled: CodeCancelled, context.Canceled: CodeCancelled, ErrDamaged: CodeCorrupt,
		errClosedHandle: CodeClosed, os.ErrNotExist: CodeNotExist,
	} {
		wrapped := err
		if err != nil {
			wrapped = fmt.Errorf("a: read: %w", errors.Join(err))
		}
		if got := CodeOf(wrapped); got != want {
			t.Errorf("code of %v is %d, want %d", err, got, want)
		}
	}
}

// TestDo checks that a panic becomes an error of one line that says where it happened, and that
// errors are returned.
func TestDo(t *testing.T) {
	err := Do(func() error {
		var p []int
		_ = p[3]
		return nil
	})
	text := Message(err)
	if CodeOf(err) != CodeInternal || !strings.Contains(text, "index out of range") || !strings.Contains(text, "code_test.go") || strings.ContainsAny(text, "\n\x00") {
		t.Errorf("code %d: %s", CodeOf(err), text)
	}
	if err := Do(func() error { return io.EOF }); err != io.EOF {
		t.Error(err)
	}
	if text := Message(errors.New("a\x00b\xffc\nd")); text != `a\x00b?c; d` {
		t.Errorf("message %q", text)
	}
}

// TestLong checks on which thread and when a Progress is called, and what cancels the call.
func TestLong(t *testing.T) {
	var seen [][2]int64
	progress := func(done, total int64) bool {
		seen = append(seen, [2]int64{done, total}) // no lock: always in this goroutine
		return false
	}
	err := long(progress, func(_ context.Context, report func(done, total int64)) error {
		report(1, 3)
		report(3, 3)
		return nil
	})
	if err != nil || len(seen) < 2 || seen[0] != [2]int64{0, -1} || seen[len(seen)-1] != [2]int64{3, 3} {
		t.Errorf("calls %v: %v", seen, err)
	}
	never := func(context.Context, func(done, total int64)) error { return errors.New("was called") }
	if err := long(func(int64, int64) bool { return true }, never); err != ErrCancelled {
		t.Error(err)
	}
	calls := 0
	err = long(func(int64, int64) bool { calls++; return calls == 3 }, func(ctx context.Context, report func(done, total int64)) error {
		<-ctx.Done() // reports nothing: only the ticks call the Progress
		return context.Cause(ctx)
	})
	if err != ErrCancelled || calls != 3 {
		t.Errorf("%d calls: %v", calls, err)
	}
	if err := long(progress, func(context.Context, func(done, total int64)) error { panic("mine") }); CodeOf(err) != CodeInternal {
		t.Error(err)
	}
	if err := long(nil, func(_ context.Context, report func(done, total int64)) error { report(1, 1); return io.EOF }); err != io.EOF {
		t.Error(err)
	}
}
