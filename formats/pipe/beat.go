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

// work counts the work of a process since some moment.
type work struct {
	moved uint64        // bytes from and to files
	used  time.Duration // of processors
}

// startBeats sends beats until stop is called. stop waits for a beat that is being sent, so that
// the answer does not mix with it.
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
		_ = writePacket(out, kindBeat, encodeBeat(work{now.moved - begin.moved, now.used - begin.used}))
		_ = out.flush() // the next answer reports the same error
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

// pageBytes is the least number of bytes that a page fault reads.
const pageBytes = 4 << 10

// workDone returns the work of this process since it began. It counts page faults, because files
// that are mapped are read by them and not by system calls.
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
				n, _ := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 64) // 0 if it is no number
				sum += n
			}
		}
	}
	return sum
}
