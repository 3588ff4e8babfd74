//go:build !linux

package pipe

import "time"

// isRunnable reports false: other systems do not report it in the same way.
func isRunnable(int) bool { return false }

// processorTime is not known here.
func processorTime(int) (time.Duration, bool) { return 0, false }
