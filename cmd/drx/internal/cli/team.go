package cli

import (
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// A Team is the processes that run a verb together, as one of them sees it. All have the same
// command line; the first one prints, and writes what is written once. The zero Team is this
// process alone, for which all methods do without messages.
type Team struct {
	Comm       par.Comm // nil for this process alone
	Goroutines int      // the number of computing goroutines of each process; 0 means all processors
	Engine     drxmp.Engine
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

// A Gate is where the processes of a team agree that all have come so far, before they work
// together. A process that fails on its way, as in an open, comes there with its error.
type Gate struct {
	team   Team
	what   string
	passed bool
}

// Gate returns a gate; what names what is done before it, for errors.
func (t Team) Gate(what string) *Gate { return &Gate{team: t, what: what} }

// Pass waits for the others, once. It returns the first error of a process.
func (g *Gate) Pass(err error) error {
	g.passed = true
	return g.team.Agree(g.what, err)
}

// Leave returns the error of a function that calls Pass unless it fails before.
func (g *Gate) Leave(err error) error {
	if g.passed {
		return err
	}
	return g.Pass(err)
}
