package vfs

// RangeTimeout is how long LockRange waits.
var RangeTimeout = &rangeTimeout

// Cached is cached, for tests outside of the package.
func (m *osMapping) Cached(from, to int) bool { return m.cached(from, to) }
