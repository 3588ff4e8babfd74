package drx

import (
	"cmp"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"drx/internal/errkind"
)

// A Snapshot names a commit of an array. The number alone names the commit of whatever array has
// the name now; Digits also tell arrays apart that had the name one after the other, and histories
// that differ. Processes that share a job pass a Snapshot on, so that all of them read the same
// elements. The zero Snapshot stands for the last commit.
type Snapshot struct {
	Commit int    // counted from 1
	Digits string // of the line of the commit in the log, empty if they are not known
}

// String returns the snapshot as N or N-DIGITS, or "last".
func (s Snapshot) String() string {
	switch {
	case s == Snapshot{}:
		return "last"
	case s.Digits == "":
		return strconv.Itoa(s.Commit)
	}
	return fmt.Sprintf("%d-%s", s.Commit, s.Digits)
}

// ParseSnapshot is the inverse of Snapshot.String. The error wraps fs.ErrInvalid.
func ParseSnapshot(text string) (Snapshot, error) {
	if text == "last" {
		return Snapshot{}, nil
	}
	number, digits, has := strings.Cut(text, "-")
	n, err := strconv.Atoi(number)
	if _, hexErr := strconv.ParseUint(digits, 16, 32); err != nil || n < 1 || has && (hexErr != nil || len(digits) != 8) {
		return Snapshot{}, errkind.Errorf(fs.ErrInvalid, `commit %q: want "last", a number from 1, or a number, "-" and the eight digits of its line`, text)
	}
	return Snapshot{n, digits}, nil
}

// OpenSnapshot is OpenAt for a Snapshot. The error also wraps ErrGone if the commit has other
// digits, so that another array has the name now, or another history; and if the snapshot is the
// last commit and Array.Snapshot refuses it.
func OpenSnapshot(name string, s Snapshot, o Options) (*Array, error) {
	if s == (Snapshot{}) {
		a, err := Open(name, o.forReading())
		if err != nil {
			return nil, err
		}
		s, err = a.Snapshot()
		if err = cmp.Or(err, a.Close()); err != nil {
			return nil, err
		}
	}
	o.digits = s.Digits
	return OpenAt(name, s.Commit, o)
}

// Snapshot returns the commit that this Array shows to a reader: that of OpenAt, or the last one
// that Open or Refresh has found; for a writer the last one that it has made. The error wraps
// ErrGone if the elements of the commit cannot be told from later ones: see OpenAt.
func (a *Array) Snapshot() (Snapshot, error) {
	done, err := a.begin("snapshot", false)
	if err != nil {
		return Snapshot{}, err
	}
	defer done()
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	end := a.end(a.journaledLine)
	s := Snapshot{int(end.Commits), string(end.Digits[:])}
	return s, a.errorf("snapshot", whyUntold(s.Commit, a.state.Load()))
}
