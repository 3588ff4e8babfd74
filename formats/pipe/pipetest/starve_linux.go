package pipetest

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

func init() {
	faults["starve"] = func(string) error { return starve(8 * time.Millisecond) }
}

// OnOneProcessor binds this goroutine's thread to the first processor that the process may use. The
// thread ends with the goroutine.
func OnOneProcessor() error {
	runtime.LockOSThread()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if all.IsSet(i) {
			one.Set(i)
			return unix.SchedSetaffinity(0, &one)
		}
	}
}

// starve uses processor time at the lowest priority.
func starve(d time.Duration) error {
	done := make(chan error)
	go func() {
		err := OnOneProcessor()
		if err == nil {
			err = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), 19)
		}
		var u unix.Rusage
		for err == nil && time.Duration(u.Utime.Nano()+u.Stime.Nano()) < d {
			err = unix.Getrusage(unix.RUSAGE_THREAD, &u)
		}
		done <- err
	}()
	return <-done
}
