package pipe

import (
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	graces         = 16 // fraction of Timeout by which a deadline is extended at a time
	mostWaited     = 30 // limit, in Timeouts, for a helper that waits for processor or disk
	samples        = 10 // samples of its state, of which more than a quarter must show work
	sampleInterval = 20 * time.Millisecond
)

// A patientReader reads the answers of a helper. If nothing comes in time, it waits longer as long
// as the helper is at work or the machine keeps it waiting; see watch.late.
type patientReader struct{ p *process }

// Read implements io.Reader. A read that reaches its deadline has consumed nothing, so it can be
// repeated.
func (r patientReader) Read(b []byte) (int, error) {
	for {
		_ = r.p.out.SetReadDeadline(r.p.watch.deadline()) // pipes have deadlines
		n, err := r.p.out.Read(b)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if err := r.p.watch.late(r.p.cmd.Process.Pid); err != nil {
			_ = r.p.out.SetReadDeadline(time.Now().Add(sampleInterval)) // the answer may have come meanwhile
			if n, _ := r.p.out.Read(b); n > 0 {
				return n, nil
			}
			return 0, err
		}
	}
}

// A patientWriter writes requests. Each part that the helper reads renews the deadline.
type patientWriter struct{ p *process }

// Write implements io.Writer.
func (d patientWriter) Write(b []byte) (done int, err error) {
	for {
		_ = d.p.in.SetWriteDeadline(d.p.watch.deadline()) // pipes have deadlines
		n, err := d.p.in.Write(b[done:])
		if done += n; n > 0 {
			d.p.watch.answered(time.Now())
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return done, err
		}
		if err := d.p.watch.late(d.p.cmd.Process.Pid); err != nil {
			return done, err
		}
	}
}

// late is called when nothing has come until the deadline. It extends the deadline, or returns an
// error that says what is wrong with the helper. The first call only extends: this process may have
// been stopped itself, with the answer waiting in the pipe. Later calls extend only if the helper
// runs, or waits for a processor or a disk: on a busy machine it may get no time even for its
// beats.
func (w *watch) late(pid int) error {
	now := time.Now()
	first := !w.until.After(w.alive)
	w.until = now.Add(w.timeout / graces)
	used, known := processorTime(pid)
	if first {
		if w.base < 0 {
			w.base = used
		}
		return nil
	}
	if used -= w.base; known && used > w.patience() {
		return loopError{fmt.Errorf("computed for %v without an answer", used.Round(100*time.Millisecond))}
	}
	if now.Sub(w.alive) > mostWaited*w.timeout || !isAtWork(pid) {
		return os.ErrDeadlineExceeded
	}
	return nil
}

// waited returns the time since the helper last did something, in whole timeouts.
func (w *watch) waited() time.Duration {
	return max(w.timeout, time.Since(w.alive)/w.timeout*w.timeout)
}

// isAtWork samples several times whether a thread of a process runs, or waits for a processor or a
// disk. A single sample could miss a thread that works in bursts.
func isAtWork(pid int) bool {
	found := 0
	for range samples {
		if isRunnable(pid) {
			found++
		}
		time.Sleep(sampleInterval)
	}
	return found > samples/4
}
