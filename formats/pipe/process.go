package pipe

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"drx/formats"
	"drx/internal/wording"
)

// Program is the name of the helper.
const Program = "drx-bridge"

// EnvProgram is the environment variable that names the helper's file, and EnvTimeout the one that
// replaces Timeout, as in 1m.
const (
	EnvProgram = "DRX_BRIDGE"
	EnvTimeout = "DRX_BRIDGE_TIMEOUT"
)

// chosen is the file name of the helper that UseHelper has set; nil or empty without one.
var chosen atomic.Pointer[string]

// UseHelper sets the file name of the helper, in the whole process, for files that are opened from
// now on. An empty name restores the default: the program in the variable EnvProgram, else the one
// beside this program, else the one on the PATH.
func UseHelper(name string) { chosen.Store(&name) }

// find returns the file of the helper: from UseHelper, from EnvProgram, beside this program, or on
// the PATH. The error wraps ErrMissing.
func find() (string, error) {
	if name := chosen.Load(); name != nil && *name != "" {
		path, err := exec.LookPath(*name)
		if err != nil {
			return "", fmt.Errorf("%w: it was said to be %s, which is no program", ErrMissing, *name)
		}
		return path, nil
	}
	if name := os.Getenv(EnvProgram); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("%w: the variable %s is %s, which is no program", ErrMissing, EnvProgram, name)
		}
		return path, nil
	}
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), Program)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(Program)
	if err != nil {
		return "", fmt.Errorf("%w: it is neither beside this program nor on the PATH; build it with make bridge", ErrMissing)
	}
	return path, nil
}

// A process is a running helper. Its methods may be called by several goroutines.
type process struct {
	mu      sync.Mutex // held by a request until its answer
	cmd     *exec.Cmd
	in      *os.File // requests
	out     *os.File // answers
	packets *bufio.Reader
	watch   *watch // of the request in progress
	stderr  tail
	timeout time.Duration
	memory  int64       // bytes that it may use
	file    int64       // bytes of the file
	formats []string    // formats that the helper has
	key     string      // see keyOf
	others  int         // users besides the first one, see share; guarded by idle.mu
	spent   bool        // an answer has said so; guarded by idle.mu
	late    *time.Timer // ends the helper after idleTime, see idle
	ended   error       // why the helper cannot be used any more; nil if it can
}

// start returns a helper with a format for a file: a waiting one with the same key, or else a new
// one. memory and size, the size of the file, are in bytes. The error wraps ErrMissing if there is
// no such helper, and ErrHelper if it fails.
func start(format string, memory, size int64) (*process, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	key := keyOf(path, format, memory)
	if p := idleProcess(func(p *process) bool { return p.key == key }); p != nil {
		p.file = size
		return p, nil
	}
	p := &process{file: size, timeout: Timeout, memory: memory, key: key}
	if text := os.Getenv(EnvTimeout); text != "" {
		if p.timeout, err = time.ParseDuration(text); err != nil || p.timeout <= 0 {
			return nil, fmt.Errorf("%s=%s: want a time, as in 1m", EnvTimeout, text)
		}
	}
	if err := p.launch(path); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrHelper, err)
	}
	err = p.greet(memory)
	if err == nil && !slices.Contains(p.formats, format) {
		err = fmt.Errorf("%w: %s was built without %s: install the libraries that scripts/tags lists and run make bridge; it has %s",
			ErrMissing, path, format, cmp.Or(strings.Join(p.formats, ", "), "no format"))
	}
	if err != nil {
		_ = p.close() // the first error is what the caller needs
		return nil, err
	}
	return p, nil
}

// launch starts the program with pipes. It is in a process group of its own, so that Ctrl-C reaches
// this process alone, which then ends the helper.
func (p *process) launch(path string) error {
	inR, inW, err := os.Pipe()
	if err != nil {
		return err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return errors.Join(err, inR.Close(), inW.Close())
	}
	enlarge(inW)
	enlarge(outR)
	p.cmd = exec.Command(path, "serve")
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inR, outW, &p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = time.Second
	p.in, p.out = inW, outR
	err = p.cmd.Start()
	err = errors.Join(err, inR.Close(), outW.Close())
	if err != nil {
		return errors.Join(err, inW.Close(), outR.Close())
	}
	p.packets = newInput(patientReader{p})
	return nil
}

// greet exchanges prefaces and gets the formats.
func (p *process) greet(memory int64) error {
	w := newWatch(max(Timeout, p.timeout), 0, 0) // EnvTimeout may be shorter for files
	w.base, p.watch = 0, w
	err := writePreface(patientWriter{p})
	if err == nil {
		err = readPreface(p.packets)
	}
	if err != nil {
		return p.fail(err, w)
	}
	a, err := p.call(request{Op: opHello, Memory: memory}, 0, nil, nil)
	p.formats = a.Formats
	return err
}

// call sends a request and the data that send writes, and returns the answer. receive, if not nil,
// reads the elements of the answer; bytes is the size of the elements. The error is one that the
// helper reports, or it wraps ErrHelper: then the helper has ended, and all later calls fail. Calls
// from several goroutines wait for each other.
func (p *process) call(r request, bytes int, send func(io.Writer) error, receive func(io.Reader) error) (answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended != nil {
		return answer{}, p.ended
	}
	w := newWatch(p.timeout, p.file, int64(bytes))
	p.watch = w
	out := patientWriter{p}
	err := writeText(out, r)
	if err == nil && send != nil {
		err = send(out)
	}
	var a answer
	if err == nil {
		a, err = p.await(w, bytes, receive)
	}
	if err != nil {
		return answer{}, p.fail(err, w)
	}
	if a.Error != nil {
		return answer{}, a.Error
	}
	return a, nil
}

// await reads the answer. Its own error means that the conversation is broken.
func (p *process) await(w *watch, bytes int, receive func(io.Reader) error) (a answer, err error) {
	in := &answerReader{p: p, w: w, left: bytes}
	if receive != nil {
		if err := receive(in); err != nil && !errors.Is(err, errNoData) {
			return a, err
		}
	}
	text, err := in.text()
	if err != nil {
		return a, err
	}
	if err := parse(text, &a); err != nil {
		return a, err
	}
	if a.Bytes != nil { // of a frame: bytes was the size of its chunk, an upper limit
		in.left -= bytes - *a.Bytes
	}
	if a.Error == nil && in.left != 0 && receive != nil {
		return a, fmt.Errorf("%w: %d bytes of elements are missing", errProtocol, in.left)
	}
	return a, nil
}

// fail ends the helper after an error of the conversation and returns an error that says what
// happened.
func (p *process) fail(err error, w *watch) error {
	verdict := error(nil)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		verdict = fmt.Errorf("%w: it hung: nothing happened for %v, so it was stopped; if the file is only slow to read, set %s=1m",
			ErrHelper, w.waited(), EnvTimeout)
	case errors.Is(err, errLoop):
		verdict = fmt.Errorf("%w: it hung: %w, so it was stopped; if the file only needs more time, set %s=1m", ErrHelper, err, EnvTimeout)
	case errors.Is(err, errProtocol):
		verdict = fmt.Errorf("%w: %w", ErrHelper, err)
	}
	if verdict != nil {
		_ = p.cmd.Process.Kill() // it may have ended meanwhile
	}
	_ = p.stop() // autopsy reads how it ended from the state of the process
	if verdict == nil {
		verdict = p.autopsy()
	}
	p.ended = verdict
	return verdict
}

// stop closes the helper's input, which makes the helper end. After one second stop kills it, and
// after two it gives up waiting.
func (p *process) stop() error {
	p.ended = fmt.Errorf("%w: it was stopped", ErrHelper)
	err := p.in.Close()
	killed := time.AfterFunc(time.Second, func() { _ = p.cmd.Process.Kill() })
	defer killed.Stop()
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	select {
	case waitErr := <-ended:
		err = errors.Join(err, waitErr)
	case <-time.After(2 * time.Second): // it waits for a dead disk, where signals do not arrive
		err = errors.Join(err, context.DeadlineExceeded)
	}
	return errors.Join(err, p.out.Close())
}

// outOfMemory lists what Go and the libraries print when memory runs out. The stack of a new thread
// is memory, too, so a failed pthread_create counts.
var outOfMemory = []string{
	"out of memory", "bad_alloc", "failed to allocate", "cannot allocate memory",
	"pthread_create failed",
}

// autopsy returns an error that says how a helper ended, from its error output and its exit state.
func (p *process) autopsy() error {
	said := p.stderr.String()
	state := p.cmd.ProcessState
	switch {
	case slices.ContainsFunc(outOfMemory, func(sign string) bool { return strings.Contains(said, sign) }):
		return fmt.Errorf("%w: it needs %w; give it more", ErrHelper, formats.ErrMemory)
	case state == nil:
		return fmt.Errorf("%w: it does not end", ErrHelper)
	}
	how := state.String()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		how = p.crashed(status.Signal().String())
		if status.Signal() == syscall.SIGKILL {
			how = "it was killed: by somebody, or because the machine ran out of memory"
		}
	} else if signal := crashSignal(said); signal != "" {
		how = p.crashed(signal)
	} else if line, _, _ := strings.Cut(strings.TrimSpace(said), "\n"); line != "" {
		how += ": " + line
	} else if state.Success() {
		how = fmt.Sprintf("it ended without an answer: %s may be no drx-bridge, which %s or an option names", p.cmd.Path, EnvProgram)
	}
	return fmt.Errorf("%w: %s", ErrHelper, how)
}

// crashed says that a signal has ended the helper. A library that does not expect that memory runs
// out crashes then, which looks like any other crash.
func (p *process) crashed(signal string) string {
	return fmt.Sprintf("it crashed: %s, as some libraries do when memory runs out, of which it may use %s", signal, wording.Bytes(p.memory))
}

// crashSignal returns the signal that Go reports on the error output when a C library crashes.
func crashSignal(said string) string {
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "SIG") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// hasEnded reports whether the helper cannot be used any more.
func (p *process) hasEnded() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended != nil
}

// close ends a helper whose files are closed.
func (p *process) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended != nil {
		return nil // the error was reported when it happened
	}
	_ = p.stop() // its files are closed: how it ends does not matter
	return nil
}

// A tail keeps the first 8 KiB that are written to it. A crash report names its cause in the
// beginning, and a helper may write without end.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[:min(len(p), 8<<10-len(t.text))]...)
	return len(p), nil
}

// String returns the bytes that were kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
