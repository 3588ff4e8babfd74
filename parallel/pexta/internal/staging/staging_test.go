package staging

import (
	"errors"
	"math"
	"strings"
	"syscall"
	"testing"
)

func goAllocator(n int) ([]byte, func(), error) { return make([]byte, n), func() {}, nil }

// A testJob is a Job of two functions.
type testJob struct {
	work func() error
	end  func(err error)
}

func (j testJob) Work() error   { return j.work() }
func (j testJob) End(err error) { j.end(err) }

// TestBackground: work goes on while the owner does something else; it ends on the owner's
// goroutine.
func TestBackground(t *testing.T) {
	a := New(1<<20, 2, goAllocator)
	go1, go2, begun := make(chan bool), make(chan bool), make(chan bool)
	var ended []int
	start := func(number int, gate chan bool) {
		buf, err := a.Buffer()
		if err != nil || len(buf) != a.BufferBytes() {
			t.Fatal(len(buf), err)
		}
		a.Start(buf, testJob{func() error {
			begun <- true
			<-gate
			buf[0] = byte(number)
			return nil
		}, func(err error) {
			if err != nil || buf[0] != byte(number) {
				t.Error(number, err)
			}
			ended = append(ended, number)
		}})
	}
	start(1, go1)
	start(2, go2)
	<-begun
	<-begun // both run at the same time
	if a.Finish(false) || a.Running() != 2 {
		t.Fatal("work that waits has ended")
	}
	go2 <- true
	if !a.Finish(true) || len(ended) != 1 || ended[0] != 2 {
		t.Fatal(ended)
	}
	go1 <- true
	if !a.Finish(true) || a.Finish(true) || a.Running() != 0 || len(ended) != 2 {
		t.Fatal(ended, a.Running())
	}
}

// TestLimit: there are as many buffers as fit into the memory, and each is reused.
func TestLimit(t *testing.T) {
	for _, memory := range []int64{1, 1 << 10, 32 << 10, 1 << 20, 100 << 20} {
		freed := 0
		a := New(memory, 1, func(n int) ([]byte, func(), error) { return make([]byte, n), func() { freed++ }, nil })
		var all [][]byte
		for {
			buf, err := a.Buffer()
			if err != nil {
				t.Fatal(err)
			}
			if buf == nil {
				break
			}
			all = append(all, buf)
		}
		if len(all) < 2 || a.Free() != 0 || a.Allocated() > max(int(memory), 2*minBuffer) || a.Allocated() < int(memory)/2 {
			t.Errorf("%d bytes: %d buffers of %d", memory, len(all), a.BufferBytes())
		}
		a.Return(all[1][:5])
		if buf, _ := a.Buffer(); &buf[0] != &all[1][0] || len(buf) != a.BufferBytes() {
			t.Errorf("another buffer than was returned")
		}
		a.Release()
		if freed != len(all) || a.Allocated() != 0 {
			t.Errorf("%d of %d freed", freed, len(all))
		}
	}
}

// TestManyBuffers: an area of any size allocates only what is used, and any number of jobs may end
// before the owner calls Finish.
func TestManyBuffers(t *testing.T) {
	a := New(math.MaxInt64, 2, goAllocator)
	ended := 0
	for range 2 * maxEnded {
		a.Start(nil, testJob{func() error { return nil }, func(error) { ended++ }})
	}
	for a.Finish(true) {
		continue
	}
	if ended != 2*maxEnded || a.Allocated() != 0 || a.Free() <= 0 {
		t.Errorf("%d jobs have ended, %d bytes, %d free", ended, a.Allocated(), a.Free())
	}
}

// TestPanic: a panic is an error, without a buffer too.
func TestPanic(t *testing.T) {
	a := New(1<<20, 1, goAllocator)
	var got error
	a.Start(nil, testJob{func() error { panic("ouch") }, func(err error) { got = err }})
	if !a.Finish(true) || got == nil || !strings.Contains(got.Error(), "ouch") || strings.Contains(got.Error(), "\n") {
		t.Fatal(got)
	}
}

// TestFault: memory that cannot be read is an error, and does not end the program.
func TestFault(t *testing.T) {
	mem, err := syscall.Mmap(-1, 0, 1, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	a := New(1<<20, 1, goAllocator)
	var got error
	a.Start(nil, testJob{func() error { return errors.New(string(mem)) }, func(err error) { got = err }})
	if !a.Finish(true) || got == nil || !strings.Contains(got.Error(), "panic at staging_test.go") {
		t.Fatal(got)
	}
	if err := syscall.Munmap(mem); err != nil {
		t.Fatal(err)
	}
}

// TestAllocator: only the first buffer is required.
func TestAllocator(t *testing.T) {
	failure, left := errors.New("none left"), 0
	a := New(1<<20, 1, func(n int) ([]byte, func(), error) {
		if left == 0 {
			return nil, nil, failure
		}
		left--
		return goAllocator(n)
	})
	for range 2 {
		if _, err := a.Buffer(); !errors.Is(err, failure) {
			t.Fatal(err)
		}
	}
	left = 1
	buf, err := a.Buffer()
	if err != nil || buf == nil {
		t.Fatal(err)
	}
	for range 2 {
		if buf, err := a.Buffer(); buf != nil || err != nil {
			t.Fatal(err)
		}
	}
}
