package pipetest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"drx/internal/errkind"
)

// A Fault is a failure of the helper during an operation.
type Fault struct {
	At    string // the operation: start, list, open, read, close, create or write
	After int    // number of such operations that succeed before
	Kind  string // what happens: a key of faults
	count int
}

// faults are the functions that carry out failures. If one returns, the operation continues.
var faults = map[string]func(path string) error{
	"error":  func(string) error { return errkind.Errorf(io.ErrUnexpectedEOF, "the data is damaged") },
	"crash":  func(string) error { return raise(syscall.SIGSEGV) },
	"kill":   func(string) error { return raise(syscall.SIGKILL) },
	"stop":   func(string) error { return raise(syscall.SIGSTOP) },
	"exit":   func(string) error { fmt.Fprintln(os.Stderr, "the library gives up"); os.Exit(3); return nil },
	"hang":   func(string) error { select {} },
	"spin":   func(string) error { return compute(time.Hour) },
	"work":   func(string) error { return compute(800 * time.Millisecond) },
	"reread": reread,
	"crawl":  crawl,
	"take":   func(string) error { return exhaust() },
	"leak":   func(string) error { return leak() },
	"garbage": func(string) error {
		_, err := os.Stdout.Write(bytes.Repeat([]byte("Warning: no dimension scale\n"), 1000))
		return err
	},
}

func raise(s syscall.Signal) error {
	err := syscall.Kill(os.Getpid(), s)
	time.Sleep(time.Hour) // until the signal arrives
	return err
}

// compute uses processor time.
func compute(d time.Duration) error {
	for begin := time.Now(); time.Since(begin) < d; {
		continue // reading the clock is enough work
	}
	return nil
}

// reread reads a file for ever.
func reread(path string) error {
	for {
		if _, err := os.ReadFile(path); err != nil {
			return err
		}
	}
}

// crawl works slowly, like a helper that reads from a slow disk.
func crawl(path string) error {
	for range 20 {
		for range 4 {
			if _, err := os.ReadFile(path); err != nil {
				return err
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// exhaust allocates memory until none is left.
func exhaust() error {
	for all := []byte{1}; ; {
		all = append(all, all...)
	}
}

// leak keeps 2 MiB for ever, like a library after it has closed a large file.
func leak() error {
	_, err := syscall.Mmap(-1, 0, 2<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	return err
}

// happens carries out the fault if it is due.
func (f *Fault) happens(at, path string) error {
	if f.At != at {
		return nil
	}
	if f.count++; f.count <= f.After {
		return nil
	}
	do := faults[f.Kind]
	if do == nil {
		return fmt.Errorf("no fault %q", f.Kind)
	}
	return do(path)
}
