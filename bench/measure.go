package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// peaks are the peak resident memories of a program and of its helper program, in MiB.
type peaks struct{ own, helper float64 }

// prepare makes the next run independent of the previous one: it writes pending data to disk, and
// lets the page cache use memory that has been touched.
func (i *importer) prepare() error {
	syscall.Sync()
	return touchMemory(10 * int64(volume(i.shape)))
}

// measure runs a program and returns its wall time, and the processor time of it and its helpers.
// It keeps the peaks of memory.
func (i *importer) measure(series string, cmd *exec.Cmd) (r result, err error) {
	if err := readThrough(i.source, make([]byte, 1<<20)); err != nil {
		return r, err
	}
	if err := i.prepare(); err != nil {
		return r, err
	}
	var failure strings.Builder
	cmd.Stderr = &failure
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return r, err
	}
	end, seen := make(chan struct{}), make(chan []usage)
	go func() {
		own, helpers := observe(cmd.Process.Pid, end)
		seen <- []usage{own, helpers}
	}()
	err = cmd.Wait()
	r.wall = time.Since(begun)
	close(end)
	o := <-seen
	if err != nil {
		return r, fmt.Errorf("%w: %s", err, &failure)
	}
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	// The peak of getrusage includes the memory of this process at the start.
	p := peaks{own: float64(o[0].peak) / (1 << 20)}
	// drx does not wait for its helper to end, so the system does not count the helper's time.
	if series == "drx" {
		r.cpu += o[1].cpu
		p.helper = float64(o[1].peak) / (1 << 20)
	}
	i.peaks[series] = append(i.peaks[series], p)
	return r, nil
}

// usage is the peak memory and the processor time of a process.
type usage struct {
	peak int64 // bytes
	cpu  time.Duration
}

// observe samples a process and its children, every few milliseconds until end. It returns the peak
// memory of pid, and the peak memory and the processor time summed over its children.
func observe(pid int, end <-chan struct{}) (own, sum usage) {
	found := map[string]usage{}
	for {
		if peak, err := statusBytes(fmt.Sprintf("/proc/%d/status", pid), "VmHWM:"); err == nil {
			own.peak = max(own.peak, peak)
		}
		for _, child := range children(pid) {
			peak, err := statusBytes(filepath.Join("/proc", child, "status"), "VmHWM:")
			if err == nil {
				found[child] = usage{peak, max(found[child].cpu, cpuOf(child))}
			}
		}
		select {
		case <-end:
			for _, o := range found {
				sum.peak, sum.cpu = max(sum.peak, o.peak), sum.cpu+o.cpu
			}
			return own, sum
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// children returns the numbers of the children of a process.
func children(pid int) (all []string) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is valid
	for _, list := range lists {
		text, _ := os.ReadFile(list) // the thread may have ended
		all = append(all, strings.Fields(string(text))...)
	}
	return all
}

// clockTicks is the number of ticks per second of the times in /proc, the same on all processors of
// Linux.
const clockTicks = 100

// cpuOf returns the processor time of a process, 0 if it has ended.
func cpuOf(pid string) time.Duration {
	text, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ") // after the name of the program
	var user, system int64
	if words := strings.Fields(rest); len(words) > 12 {
		_, err = fmt.Sscan(words[11]+" "+words[12], &user, &system)
	}
	if err != nil {
		return 0
	}
	return time.Duration(user+system) * time.Second / clockTicks
}
