package relayout

import (
	"time"

	"drx/relayout/internal/planner"
)

// A commitSchedule decides after which steps a copy commits.
type commitSchedule struct {
	bytes    int64         // the least number of bytes moved between commits within a template
	interval time.Duration // the least time between commits

	lastBytes int64 // moved until the last commit that was due
	lastTime  time.Time
}

// due reports whether to commit after a step, when moved bytes were moved in all.
func (s *commitSchedule) due(after planner.Position, moved int64) bool {
	withinTemplate := after.Steps > 0
	if withinTemplate && moved-s.lastBytes < s.bytes || time.Since(s.lastTime) < s.interval {
		return false
	}
	s.lastBytes = moved
	return true
}

// committed records the time of a commit.
func (s *commitSchedule) committed() { s.lastTime = time.Now() }
