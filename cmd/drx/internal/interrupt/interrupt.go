// Package interrupt ends the program when it is interrupted: it removes files that are not complete
// and rolls back what is not committed.
package interrupt

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"drx/cmd/drx/internal/outfile"
)

// ExitSignal is the exit code of a program that was interrupted.
const ExitSignal = 130

// GraceTime is the time that an interrupted verb has to return by itself.
const GraceTime = 3 * time.Second

// Context returns a context that the first SIGINT or SIGTERM cancels. Most verbs check it in their
// loops, clean up and return. After GraceTime the program rolls back and ends in any case, because
// a verb may be waiting for a pipe that nobody reads, for a disk, or for a long step. A second
// signal ends the program at once; then the array is as after a crash: at its last commit, or at
// the one in progress.
func Context() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		select {
		case again := <-signals: // came before Reset: repeat it with its default effect
			_ = syscall.Kill(os.Getpid(), again.(syscall.Signal))
		case <-time.After(GraceTime):
			exitInterrupted()
		}
	}()
	return ctx
}

// rollBackTime is the time that all arrays have to finish running operations and to roll back.
// Whatever remains is rolled back by the next writer of the array, as after a crash.
const rollBackTime = 8 * time.Second

// exitInterrupted removes incomplete files, rolls back and exits, even if other goroutines are
// blocked.
func exitInterrupted() {
	outfile.Temporary.Remove()
	done := make(chan []string, 1)
	go func() { done <- Changes.rollBack() }()
	var phrases []string
	select {
	case phrases = <-done:
	case <-time.After(rollBackTime):
		phrases = []string{"the next writer rolls back what is not committed"}
	}
	time.AfterFunc(time.Second, func() { os.Exit(ExitSignal) }) // in case nobody reads stderr
	fmt.Fprintln(os.Stderr, interruption(phrases...))
	os.Exit(ExitSignal)
}
