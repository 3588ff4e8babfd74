package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// requestTimeout is the longest time that a peer may take for one request.
const requestTimeout = 15 * time.Minute

// A process is a running peer.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	options []string // sent with every request
}

// startProcess starts a command that speaks the protocol. Its standard error goes to ours.
func startProcess(argv, options []string) (*process, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{cmd: cmd, in: in, out: bufio.NewReader(out), options: options}, nil
}

// call sends a request and waits for the answer. The error wraps errUnsupported, contains the
// peer's message, or says that the peer ended, which it also does after requestTimeout.
func (p *process) call(verb string, args ...string) (result, error) {
	line := strings.Join(append(append([]string{verb}, args...), p.options...), " ")
	timer := time.AfterFunc(requestTimeout, func() {
		// The process may have ended already.
		_ = p.cmd.Process.Kill()
	})
	defer timer.Stop()
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		return result{}, fmt.Errorf("peer does not listen: %w", err)
	}
	answer, err := p.out.ReadString('\n')
	if err != nil {
		return result{}, fmt.Errorf("peer ended during %q: %w", line, err)
	}
	r, err := parseAnswer(answer)
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", verb, err)
	}
	return r, nil
}

// peak returns the peak resident memory of the process in bytes (VmHWM).
func (p *process) peak() (int64, error) {
	return statusBytes(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "status"), "VmHWM:")
}

// statusBytes reads a line like "VmHWM: 1234 kB" of a file of /proc.
func statusBytes(path, key string) (int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 3 && words[0] == key {
			kib, err := strconv.ParseInt(words[1], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("%s has no %s", path, key)
}

// stop ends the process by closing its input.
func (p *process) stop() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	return p.cmd.Wait()
}
