// Package staging has the buffers between global arrays and files, and the goroutines that read and
// write files in the background.
//
// All calls are made on one goroutine, the owner of the Area. A job gets a buffer, is carried out
// in the background, and ends on the owner's goroutine, in Finish:
//
//	Buffer -> Start -> (in the background) -> Finish -> the buffer is free again
//
// So a buffer that is not free belongs to a job that will end, and a caller that waits for a buffer
// gets one by Finish.
package staging

import (
	"fmt"
	"runtime/debug"

	"drx/parallel/par"
)

// maxBuffer and minBuffer limit the bytes of one buffer. A buffer should hold a chunk of ordinary
// size, and stay in the processor's caches between its uses.
const (
	maxBuffer = 2 << 20
	minBuffer = 4 << 10
)

// maxEnded limits the number of ended jobs that do not block their goroutines until the owner
// finishes them. Without the limit, a program that allows much memory would have a huge channel.
const maxEnded = 1 << 10

// An Allocator returns memory, and a function that frees it.
type Allocator func(bytes int) (buf []byte, free func(), err error)

// An Area is memory for jobs.
type Area struct {
	bytes    int // of a buffer
	limit    int // number of buffers
	allocate Allocator

	all     []func() // free the buffers
	free    [][]byte // the last used is reused first, because it is in the caches
	slots   chan struct{}
	ended   chan *task // a job waits here for the owner, without a slot
	running int
}

// A Job is work with or without a buffer. Work is called in the background. End is called by
// Finish, with the error of Work.
type Job interface {
	Work() error
	End(err error)
}

// A task is a started job.
type task struct {
	Job
	buf []byte // nil for none
	err error
}

// New returns an area of at most memory bytes, for the given number of goroutines. It allocates
// buffers when they are needed.
func New(memory int64, goroutines int, allocate Allocator) *Area {
	bytes := int(min(maxBuffer, max(minBuffer, memory/8)))
	limit := int(max(2, memory/int64(bytes)))
	return &Area{
		bytes: bytes, limit: limit, allocate: allocate,
		slots: make(chan struct{}, goroutines), ended: make(chan *task, min(limit, maxEnded)),
	}
}

// BufferBytes returns the size of a buffer.
func (a *Area) BufferBytes() int { return a.bytes }

// Free returns the number of bytes of buffers that are free, or can be allocated.
func (a *Area) Free() int { return (a.limit - len(a.all) + len(a.free)) * a.bytes }

// Goroutines returns the number of jobs that run at a time.
func (a *Area) Goroutines() int { return cap(a.slots) }

// Allocated returns the bytes of all buffers at present.
func (a *Area) Allocated() int { return len(a.all) * a.bytes }

// Running returns the number of jobs that Finish has not ended.
func (a *Area) Running() int { return a.running }

// Buffer returns a free buffer, or nil if there is none until a job ends. It returns the
// allocator's error only for the first buffer, because the area works with one.
func (a *Area) Buffer() ([]byte, error) {
	if n := len(a.free); n > 0 {
		buf := a.free[n-1]
		a.free = a.free[:n-1]
		return buf, nil
	}
	if len(a.all) >= a.limit {
		return nil, nil
	}
	buf, free, err := a.allocate(a.bytes)
	if err != nil {
		if a.limit = len(a.all); a.limit > 0 {
			return nil, nil
		}
		a.limit = 1 // to be tried again later
		return nil, fmt.Errorf("buffer of %d bytes: %w", a.bytes, err)
	}
	a.all = append(a.all, free)
	return buf, nil
}

// Return frees a buffer that was not passed to Start.
func (a *Area) Return(buf []byte) { a.free = append(a.free, buf[:a.bytes]) }

// Start starts a job, which may use the buffer, nil for none, until Finish has ended it. A panic or
// a fault on memory is an error of the job, because a library must not end its program.
func (a *Area) Start(buf []byte, j Job) {
	a.running++
	go a.work(&task{Job: j, buf: buf})
}

func (a *Area) work(j *task) {
	a.slots <- struct{}{}
	j.err = par.Guard(func() error {
		debug.SetPanicOnFault(true) // in this goroutine, which is Guard's
		return j.Work()
	})
	<-a.slots
	a.ended <- j
}

// Finish ends a job whose work is done, and reports whether it has. It waits for one only if wait
// is set.
func (a *Area) Finish(wait bool) bool {
	if a.running == 0 {
		return false
	}
	var j *task
	if wait {
		j = <-a.ended
	} else {
		select {
		case j = <-a.ended:
		default:
			return false
		}
	}
	a.running--
	j.End(j.err)
	if j.buf != nil {
		a.Return(j.buf)
	}
	return true
}

// Release frees the memory. No job may be running.
func (a *Area) Release() {
	for _, free := range a.all {
		free()
	}
	a.all, a.free = nil, nil
}
