package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"drx/internal/fileset"
)

// graceTime is the time that an interrupted verb has to end by itself.
const graceTime = 3 * time.Second

// interruptible returns a context that the first SIGINT or SIGTERM cancels. Most verbs check it in their
// loops, clean up and return. After graceTime the program rolls back and ends in any case, because a verb may
// be waiting for a pipe that nobody reads, for a disk, or for a long step. A second signal ends the program at
// once; then the array is as after a crash: at its last commit, or at the one in progress.
func interruptible() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		select {
		case again := <-signals: // between the first one and Reset
			_ = syscall.Kill(os.Getpid(), again.(syscall.Signal))
		case <-time.After(graceTime):
			exitInterrupted()
		}
	}()
	return ctx
}

// rollBackTime is the time that an array has to end the operation that goes on and to roll back. What it does not
// manage is left to the next writer.
const rollBackTime = 8 * time.Second

// exitInterrupted ends the program even if other goroutines are blocked.
func exitInterrupted() {
	temporary.remove()
	done := make(chan []string, 1)
	go func() { done <- underChange.rollBack() }()
	var phrases []string
	select {
	case phrases = <-done:
	case <-time.After(rollBackTime):
		phrases = []string{"the next writer rolls back what is not committed"}
	}
	time.AfterFunc(time.Second, func() { os.Exit(exitSignal) }) // in case nobody reads stderr
	fmt.Fprintln(os.Stderr, interruption(phrases...))
	os.Exit(exitSignal)
}

// temporary is the set of files to remove if the program is interrupted.
var temporary tempFiles

// tempFiles is a set of files that are being written and are not complete yet: those that will be renamed when they
// are, and arrays to which nothing was committed yet.
type tempFiles struct {
	mu    sync.Mutex
	names map[string]func() // with what removes each
}

// add adds a file to the set.
func (t *tempFiles) add(name string) { t.addAs(name, func() { os.Remove(name) }) }

// addArray adds an array that this process has created and has open for writing.
func (t *tempFiles) addArray(name string) {
	t.addAs(fileset.Log(name), func() { _ = fileset.RemoveLocked(fileset.OS(), fileset.NewName(fileset.OS(), name)) })
}

func (t *tempFiles) addAs(name string, remove func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.names == nil {
		t.names = map[string]func(){}
	}
	t.names[name] = remove
}

// done takes a file out of the set.
func (t *tempFiles) done(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.names, name)
}

// doneArray takes an array out of the set.
func (t *tempFiles) doneArray(name string) { t.done(fileset.Log(name)) }

// remove deletes the files. It keeps the lock, so that no file is added afterwards: the program is about
// to end.
func (t *tempFiles) remove() {
	t.mu.Lock()
	for _, remove := range t.names {
		remove()
	}
}
