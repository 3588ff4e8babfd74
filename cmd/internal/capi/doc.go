// Package capi implements libdrx without C: the functions of include/drx.h with Go's types. The
// program cmd/libdrx exports them; its files only convert arguments.
//
// The caller refers to an array by a Handle, never by a pointer (handle.go), so that a stale or
// wrong one gives an error and not a crash. Do runs every call: it turns panics into errors. Code
// maps errors to the numbers of drx.h (code.go). The buffers of the host are described by Buffer
// (buffer.go); read.go chooses between the package drx, which copies from the files' pages into
// them, and staged.go, which goes through a buffer of its own to convert types and to serve
// negative strides.
package capi
