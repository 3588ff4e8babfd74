//go:build !linux

package vfs

// System is unknown.
func (f osFile) System() System { return System{} }

// Refetch does nothing.
func (f osFile) Refetch(_, _ int64) {}
