package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/internal/result"
	"drx/cmd/internal/usage"
	"drx/parallel/drxmp"
	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/spmd"
	"drx/relayout"
)

// maxProcs is the largest value of --procs. The bytes that the processes exchange grow with the
// square of their number: 1000 need 0.7 GB of memory for an array of four chunks.
const maxProcs = 1024

// exitUsage is the exit code for a wrong command line.
const exitUsage = 2

// A usageError is an error of the command line itself.
type usageError struct{ error }

// Unwrap returns the underlying error.
func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// asUsageError marks an error, if there is one, as an error of the command line.
func asUsageError(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// valueError turns an error about a value that is invalid for this array into an error of the
// command line. It is for calls that check such values and nothing else.
func valueError(err error) error {
	for _, fault := range []error{drx.ErrRank, drx.ErrBounds, drx.ErrOverflow, drx.ErrDType, relayout.ErrMemory} {
		if errors.Is(err, fault) {
			return usageError{err}
		}
	}
	return err
}

// A command holds what all verbs share.
type command struct {
	procs   int
	engine  string
	timeout time.Duration
	asJSON  bool
	ran     bool     // all processes have started, so join is not needed
	inside  *process // the process for which a verb of drx runs; nil for the program itself
}

// exactly requires one argument per name.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return asUsageError(usage.Arguments(cmd, args, names, false))
	}
}

// join joins the other processes at the start of the program in a process that has nothing to do,
// because the user asked for help or the command line is wrong: other processes may be waiting for
// it. If all processes have the same error, join returns that of the first.
func (c *command) join(cmd *cobra.Command, err error) error {
	return c.start(cmd, 0, func(p *process) error {
		mine := lineOf(cmd, cmd.Flags().Args())
		if err != nil {
			mine = append(mine, word{"error", err.Error()})
		}
		if err := p.agreeLine(mine); err != nil {
			return err
		}
		return par.Blame(0, err)
	})
}

// run calls f in all processes, whose command lines must be the same. Only the first process
// prints. Its report is printed at the end, if no process has failed.
func (c *command) run(cmd *cobra.Command, f func(p *process) error) error {
	if c.procs < 1 && cmd.Flags().Changed("procs") {
		return usagef("--procs %d: at least 1", c.procs)
	}
	if c.procs > maxProcs {
		return usagef("--procs %d: at most %d; start more with mpirun -n", c.procs, maxProcs)
	}
	if c.timeout < 0 {
		return usagef("--timeout %v: want 0 or more", c.timeout)
	}
	engine, err := drxmp.ParseEngine(c.engine)
	if err != nil {
		return usagef("--engine: %w", err)
	}
	return c.start(cmd, c.procs, func(p *process) error {
		p.options.Engine = engine
		if err := p.agreeLine(lineOf(cmd, cmd.Flags().Args())); err != nil {
			return err
		}
		if err := p.Agree("work", f(p)); err != nil {
			return err
		}
		return p.printf("%s", p.report.String())
	})
}

// start calls f in all processes: in procs goroutines, or in the processes of mpirun.
func (c *command) start(cmd *cobra.Command, procs int, f func(p *process) error) error {
	return spmd.Run(procs, func(comm par.Comm) error {
		if comm.Proc() == 0 || mpi.Launched() {
			c.ran = true
		}
		p := &process{Comm: comm, out: io.Discard, asJSON: c.asJSON}
		if comm.Proc() == 0 {
			p.out = cmd.OutOrStdout()
		}
		return f(p)
	}, par.Options{Timeout: c.timeout})
}

// interruptible returns a context that an interruption cancels.
func interruptible(ctx context.Context) (context.Context, func()) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	return ctx, stop
}

// A process is one process of the program.
type process struct {
	par.Comm
	out     io.Writer
	options drxmp.Options
	asJSON  bool
	report  strings.Builder // printed when the work is done
}

// reportResult sets the report to a result: v with --json, otherwise what text adds to it.
func (p *process) reportResult(v any, text func()) error {
	if p.asJSON {
		return result.Print(&p.report, v)
	}
	text()
	return nil
}

func (p *process) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(p.out, format, args...)
	return err
}

// reportf adds a line to the report, which is printed once all processes have succeeded.
func (p *process) reportf(format string, args ...any) {
	fmt.Fprintf(&p.report, format, args...)
}

// with opens an array, calls f, and closes the array: without a commit after an error.
func (p *process) with(name string, o drx.Options, f func(a *drxmp.Array) error) error {
	p.options.Options = o
	a, err := drxmp.Open(p, name, p.options)
	if err != nil {
		return err
	}
	return p.thenClose(a, f(a))
}

// thenClose closes an array, without a commit if any process has an error.
func (p *process) thenClose(a *drxmp.Array, err error) error {
	if err = p.Agree("work on "+a.Name(), err); err != nil {
		return errors.Join(err, a.Discard())
	}
	return a.Close()
}

// version is set by the build.
var version = "devel"
