package pipe

import (
	"bytes"
	"encoding/binary"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// beatTime is the time between two beats.
const beatTime = 500 * time.Millisecond

// work is the work of a process since some moment.
type work struct {
	moved uint64        // bytes from and to files
	used  time.Duration // of processors
}

// startBeats sends beats until stop is called, which waits for a beat that is being sent.
func startBeats(out *lockedWriter) (stop func()) {
	var mu sync.Mutex
	var timer *time.Timer
	var begin work
	stopped := false
	mu.Lock()
	defer mu.Unlock()
	begin = workDone()
	timer = time.AfterFunc(beatTime, func() {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		now := workDone()
		_ = writeFrame(out, kindBeat, encodeBeat(work{now.moved - begin.moved, now.used - begin.used}))
		_ = out.flush() // the next answer gets the error again
		timer.Reset(beatTime)
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}

func encodeBeat(w work) []byte {
	b := binary.LittleEndian.AppendUint64(nil, w.moved)
	return binary.LittleEndian.AppendUint64(b, uint64(w.used))
}

func decodeBeat(b []byte) work {
	return work{binary.LittleEndian.Uint64(b), time.Duration(binary.LittleEndian.Uint64(b[8:]))}
}

// pageBytes is the least that a page fault reads.
const pageBytes = 4 << 10

// workDone returns what this process has done since it began. Files that are mapped are read by
// page faults.
func workDone() work {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return work{}
	}
	moved := uint64(u.Majflt)*pageBytes + uint64(u.Inblock+u.Oublock)*512
	return work{moved + bytesTransferred(), time.Duration(u.Utime.Nano() + u.Stime.Nano())}
}

// bytesTransferred returns the bytes that this process has read and written by system calls, 0
// where the system does not report it.
func bytesTransferred() (sum uint64) {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		for _, name := range []string{"rchar: ", "wchar: "} {
			if value, ok := bytes.CutPrefix(line, []byte(name)); ok {
				n, _ := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 64) // 0 for what cannot be read
				sum += n
			}
		}
	}
	return sum
}
