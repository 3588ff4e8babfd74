package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// graceTime is the time that an interrupted verb has to end by itself.
const graceTime = 3 * time.Second

// interruptible returns a context that the first SIGINT or SIGTERM cancels. Most verbs check it in their
// loops, clean up and return. The program ends after graceTime in any case, because a verb may be waiting
// for a pipe that nobody reads, for a disk, or for a long step. A second signal ends the program at once.
// In either case the array is as after a crash: at its last commit, or at the one in progress.
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

// exitInterrupted ends the program even if other goroutines are blocked.
func exitInterrupted() {
	temporary.remove()
	time.AfterFunc(time.Second, func() { os.Exit(exitSignal) }) // in case nobody reads stderr
	fmt.Fprintln(os.Stderr, "drx: interrupted")
	os.Exit(exitSignal)
}

// temporary is the set of files to remove if the program is interrupted.
var temporary tempFiles

// tempFiles is a set of names of files that are being written and will be renamed when complete.
type tempFiles struct {
	mu    sync.Mutex
	names map[string]bool
}

// add adds a file to the set.
func (t *tempFiles) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.names == nil {
		t.names = map[string]bool{}
	}
	t.names[name] = true
}

// done takes a file out of the set.
func (t *tempFiles) done(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.names, name)
}

// remove deletes the files. It keeps the lock, so that no file is added afterwards: the program is about
// to end.
func (t *tempFiles) remove() {
	t.mu.Lock()
	for name := range t.names {
		os.Remove(name)
	}
}
