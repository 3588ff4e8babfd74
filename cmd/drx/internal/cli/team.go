package cli

import "drx/parallel/par"

// A Team is the processes that run a verb together, as one of them sees it. All have the same
// command line; the first one prints, and writes what is written once. The zero Team is this
// process alone, for which all methods do without messages.
type Team struct {
	Comm       par.Comm // nil for this process alone
	Goroutines int      // the number of computing goroutines of each process; 0 means all processors
}

// First reports whether this process prints.
func (t Team) First() bool { return t.Comm == nil || t.Comm.Proc() == 0 }

// Agree returns the first error of a process, on all of them, see par.Comm.
func (t Team) Agree(what string, err error) error {
	if t.Comm == nil {
		return err
	}
	return t.Comm.Agree(what, err)
}
