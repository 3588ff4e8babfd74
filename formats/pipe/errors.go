package pipe

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

var (
	// ErrMissing is returned when the helper is not there, or was built without a format.
	ErrMissing = errors.New("drx-bridge is missing")
	// ErrHelper is returned when the helper has crashed, hung, been killed or answered with
	// garbage.
	ErrHelper = errors.New("drx-bridge failed")
)

// sentinels are the errors that keep their identity across the pipe. Their names are part of the
// protocol.
var sentinels = map[string]error{
	"format":      formats.ErrFormat,
	"not read":    formats.ErrNotRead,
	"not written": formats.ErrNotWritten,
	"order":       formats.ErrOrder,
	"variable":    formats.ErrVariable,
	"type":        formats.ErrType,
	"size":        formats.ErrSize,
	"memory":      formats.ErrMemory,
	"dtype":       dtype.ErrDType,
	"rank":        nd.ErrRank,
	"bounds":      nd.ErrBounds,
	"overflow":    nd.ErrOverflow,
	"truncated":   io.ErrUnexpectedEOF,
	"not there":   fs.ErrNotExist,
	"there":       fs.ErrExist,
	"permission":  fs.ErrPermission,
	"space":       syscall.ENOSPC,
	"canceled":    context.Canceled,
}

// A failure is an error as it is sent.
type failure struct {
	Text  string   `json:"text"`
	Wraps []string `json:"is,omitempty"` // names of sentinels
}

// newFailure describes an error about the file at path, which the receiver names.
func newFailure(err error, path string) *failure {
	f := &failure{Text: strings.TrimPrefix(err.Error(), path+": ")}
	for name, sentinel := range sentinels {
		if errors.Is(err, sentinel) {
			f.Wraps = append(f.Wraps, name)
		}
	}
	slices.Sort(f.Wraps)
	return f
}

// Error implements error.
func (f *failure) Error() string { return f.Text }

// Is reports whether the error in the helper wrapped target.
func (f *failure) Is(target error) bool {
	return slices.ContainsFunc(f.Wraps, func(name string) bool { return sentinels[name] != nil && sentinels[name] == target })
}
