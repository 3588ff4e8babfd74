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

// grace is how long a verb that was interrupted has to end by itself.
const grace = 3 * time.Second

// interruptible returns a context that the first SIGINT or SIGTERM ends. Most verbs look at it in
// their loops, and end with what they have cleaned up. The program ends in any case when that has
// passed: a verb may be waiting for a pipe that nobody reads, or for a disk, or be in a step that takes
// long. A second signal ends it at once. Either leaves the array as it was at a commit, or with the one
// that was being made, as any crash does.
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
		case <-time.After(grace):
			giveUp()
		}
	}()
	return ctx
}

// giveUp ends the program, whatever it is waiting for.
func giveUp() {
	temporary.remove()
	time.AfterFunc(time.Second, func() { os.Exit(exitSignal) }) // should nobody read the complaint
	fmt.Fprintln(os.Stderr, "drx: interrupted")
	os.Exit(exitSignal)
}

// temporary are the files that are to be removed if the program ends.
var temporary tempFiles

// tempFiles are names of files that are being written and have other names when they are complete.
type tempFiles struct {
	mu    sync.Mutex
	names map[string]bool
}

// add notes a file.
func (t *tempFiles) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.names == nil {
		t.names = map[string]bool{}
	}
	t.names[name] = true
}

// done forgets a file.
func (t *tempFiles) done(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.names, name)
}

// remove removes the files. No file can be added afterwards: the program is to end.
func (t *tempFiles) remove() {
	t.mu.Lock()
	for name := range t.names {
		os.Remove(name)
	}
}
