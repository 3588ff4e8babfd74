package capi

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"drx"
	"drx/cube"
	"drx/dataset"
	formats "drx/formats"
	"drx/formats/pipe"
	"drx/internal/errkind"
	"drx/optionerr"
	"drx/parallel/par"
	"drx/relayout"
)

// A Code is one of the numbers DRX_E... of drx.h. They never change.
type Code int32

// The codes.
const (
	OK Code = iota
	CodeHandle
	CodeClosed
	CodeInvalid
	CodeRank
	CodeBounds
	CodeOverflow
	CodeDType
	CodeSize
	CodeReadOnly
	CodeLocked
	CodeVersion
	CodeCorrupt
	CodeIncomplete
	CodeNotExist
	CodeExist
	CodePermission
	CodeNoSpace
	CodeIO
	CodeNoAttr
	CodeMemory
	CodeMismatch
	CodeDataset
	CodeValue
	CodeCancelled
	CodeBusy
	CodeFork
	CodeInternal
	CodeStale
	CodeFenced
	CodeGone
)

// The codes of drxmp.h.
const (
	CodeDisagree Code = iota + 100
	CodeFailed
	CodeTimeout
	CodeThread
)

// Errors of this package.
var (
	// ErrHandle is returned for a number that is no handle, or one of another kind.
	ErrHandle = errors.New("invalid handle")
	// ErrInvalid is returned for an argument that is invalid in any state.
	ErrInvalid = errors.New("invalid argument")
	// ErrNoAttr is returned for an attribute that does not exist.
	ErrNoAttr = errors.New("no such attribute")
	// ErrMemory is returned if there are too many handles.
	ErrMemory = errors.New("too many")
	// ErrCancelled is returned after a callback has ended its call.
	ErrCancelled = errors.New("cancelled by the callback")
	// ErrDamaged is returned by Verify, together with the report.
	ErrDamaged = errkind.Errorf(drx.ErrCorrupt, "the report says what is damaged")

	errClosedHandle = errkind.Errorf(drx.ErrClosed, "it was closed before")
)

// codes maps sentinels to codes. CodeOf returns the first match, so specific sentinels come before
// general ones.
var codes = []struct {
	err  error
	code Code
}{
	{ErrHandle, CodeHandle},
	{par.ErrTimeout, CodeTimeout},
	{par.ErrThread, CodeThread},
	{par.ErrDisagree, CodeDisagree},
	{par.ErrFailed, CodeFailed},
	{par.ErrBusy, CodeBusy},
	{par.ErrArgument, CodeInvalid},
	{par.ErrSize, CodeSize},
	{par.ErrClosed, CodeClosed},
	{ErrNoAttr, CodeNoAttr},
	{ErrMemory, CodeMemory},
	{relayout.ErrMemory, CodeMemory},
	{ErrCancelled, CodeCancelled},
	{context.Canceled, CodeCancelled},
	{ErrInvalid, CodeInvalid},
	{drx.ErrClosed, CodeClosed},
	{relayout.ErrMismatch, CodeMismatch},
	{optionerr.ErrOption, CodeInvalid},
	{formats.ErrFormat, CodeInvalid},
	{formats.ErrNotRead, CodeInvalid},
	{formats.ErrNotWritten, CodeInvalid},
	{formats.ErrCodec, CodeInvalid},
	{formats.ErrType, CodeDType},
	{formats.ErrMemory, CodeMemory},
	{formats.ErrVariable, CodeDataset},
	{pipe.ErrMissing, CodeNotExist},
	{dataset.ErrDim, CodeDataset},
	{dataset.ErrVariable, CodeDataset},
	{dataset.ErrGroup, CodeDataset},
	{dataset.ErrValue, CodeValue},
	{cube.ErrLabel, CodeValue},
	{cube.ErrWhere, CodeValue},
	{drx.ErrDType, CodeDType},
	{drx.ErrSize, CodeSize},
	{drx.ErrRank, CodeRank},
	{drx.ErrOverflow, CodeOverflow},
	{drx.ErrBounds, CodeBounds},
	{drx.ErrReadOnly, CodeReadOnly},
	{drx.ErrLocked, CodeLocked},
	{drx.ErrFenced, CodeFenced},
	{drx.ErrVersion, CodeVersion},
	{drx.ErrGone, CodeGone},
	{drx.ErrIncomplete, CodeIncomplete},
	{drx.ErrStale, CodeStale},
	{drx.ErrCorrupt, CodeCorrupt},
	{fs.ErrNotExist, CodeNotExist},
	{fs.ErrExist, CodeExist},
	{fs.ErrPermission, CodePermission},
	{fs.ErrInvalid, CodeInvalid},
	{syscall.ENOSPC, CodeNoSpace},
	{syscall.EDQUOT, CodeNoSpace},
}

// CodeOf returns the code of an error, or CodeIO if it has no code of its own.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	var p *panicError
	if errors.As(err, &p) {
		return CodeInternal
	}
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &typed) {
		return CodeInvalid
	}
	return CodeIO
}

// Message returns the text of an error as one line without NUL.
func Message(err error) string {
	text := strings.ReplaceAll(strings.ReplaceAll(err.Error(), "\n", "; "), "\x00", `\x00`)
	return strings.ToValidUTF8(text, "?")
}

// invalidf returns an error that wraps ErrInvalid.
func invalidf(format string, args ...any) error {
	return errkind.Errorf(ErrInvalid, format, args...)
}
