package onefile

import (
	"drx/internal/chunktable"
	"drx/internal/vfs"
)

// runsOf maps the bytes of a member to the file. All extents but the last end with a group.
func (s *stream) runsOf(m member) *vfs.Runs {
	var runs []vfs.Run
	for _, e := range s.extents {
		if s.shaped() {
			runs = append(runs, e.runs(s.shape, m)...)
		} else {
			runs = append(runs, vfs.Run{From: e.start, To: e.start + e.length, At: e.offset})
		}
	}
	return vfs.NewRuns(runs)
}

// runs returns where in the file the bytes of a member are that an extent of groups has. It is the
// inverse of Shape.below.
func (e extent) runs(s Shape, m member) (runs []vfs.Run) {
	if head := min(e.length, chunktable.PresenceHead); m == presenceMember && e.start == 0 {
		runs = append(runs, vfs.Run{From: 0, To: head, At: e.offset})
	}
	if e.start == 0 { // the head is no group
		e = extent{s.Unit, e.offset + s.Unit, e.length - s.Unit}
	}
	per, begin := s.per(m)
	from, to := s.below(m, e.start), s.below(m, e.start+e.length)
	if from < to {
		runs = append(runs, vfs.Run{From: from, To: to, At: e.offset + begin, Every: per, Skip: s.group() - per})
	}
	return runs
}
