package pipe

import (
	"testing"
	"time"
)

// A helper that computes counts as hung after Timeout, unless it has read, or was asked for, so
// much that decoding takes longer.
func TestPatience(t *testing.T) {
	if !countsReads() {
		t.Skip("this system does not tell what a process reads")
	}
	const mib, gib = 1 << 20, 1 << 30
	for name, c := range map[string]struct {
		file, section int64
		read          uint64 // bytes between two beats
		until         uint64 // bytes after which it reads no more
		want          time.Duration
	}{
		"spins in a large file":       {file: 2 * gib, section: 4 * mib, want: Timeout},
		"rereads a page for ever":     {file: 2 * gib, section: 4 * mib, read: 4 << 10, until: gib, want: Timeout},
		"rereads a small file":        {file: 1 * mib, section: 1 * mib, read: 8 * mib, until: gib, want: Timeout},
		"decodes an ordinary box":     {file: 2 * gib, section: 4 * mib, read: 4 * mib, until: 4 * mib, want: Timeout},
		"decodes a large chunk":       {file: 2 * gib, section: 64 * mib, want: Timeout + 14*time.Second},
		"decodes what it has read":    {file: 2 * gib, section: 4 * mib, read: 44 * mib, until: 44 * mib, want: Timeout + 10*time.Second},
		"decodes the file as a whole": {file: 100 * mib, section: 8 * mib, read: 50 * mib, until: 200 * mib, want: Timeout + 25*time.Second},
	} {
		w := newWatch(Timeout, c.file, c.section)
		var done work
		var err error
		for err == nil && done.used < time.Hour {
			done.used += beatTime
			if done.moved < c.until {
				done.moved += c.read
			}
			err = w.beat(time.Now(), done)
		}
		if done.used < c.want || done.used > c.want+2*beatTime {
			t.Errorf("%s: hung after %v, want %v (%v)", name, done.used, c.want, err)
		}
	}
}

// Each part of the answer starts the time anew.
func TestPatienceBeginsAnew(t *testing.T) {
	w, begin := newWatch(Timeout, 0, 0), time.Now()
	for i := range 10 {
		now := begin.Add(time.Duration(i) * time.Minute)
		if err := w.beat(now, work{used: time.Duration(i) * (Timeout - time.Second)}); err != nil {
			t.Fatal(err)
		}
		w.answered(now)
		if got := w.deadline(); got != now.Add(Timeout) {
			t.Errorf("deadline %v after an answer at %v", got, now)
		}
	}
}
