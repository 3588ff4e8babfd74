package doctor

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"drx/internal/vfs"
)

// A peer is the second process. It executes one command at a time.
type peer interface {
	// ask returns the answer to a command, see half.do.
	ask(command ...string) (string, error)
	close()
}

// A pipePeer is a process of this machine.
type pipePeer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startPeer starts this program again, for a folder on this machine.
func startPeer(folder string) (*pipePeer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &pipePeer{cmd: exec.Command(self, "doctor", "--answer=-", folder)}
	p.cmd.Env = append(os.Environ(), answerEnv+"=1")
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

// answerEnv is set in the second process; the tests of this package check it.
const answerEnv = "DRX_DOCTOR_ANSWERS"

func (p *pipePeer) ask(command ...string) (string, error) {
	if _, err := fmt.Fprintln(p.in, strings.Join(command, " ")); err != nil {
		return "", err
	}
	return answerIn(p.out.ReadString('\n'))
}

// answerIn returns the answer in a line, which begins with ok or with error.
func answerIn(line string, err error) (string, error) {
	if err != nil {
		return "", fmt.Errorf("the second process does not answer: %w", err)
	}
	kind, text, _ := strings.Cut(strings.TrimSpace(line), " ")
	if kind != "ok" {
		return "", errors.New(text)
	}
	return text, nil
}

func (p *pipePeer) close() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}

// A filePeer is a process of another host. Commands and answers are files in the folder, which get
// their names when they are complete. The other host may see a new name late.
type filePeer struct {
	folder string
	n      int
	within time.Duration
}

// patience limits the wait of one half for a half on another host.
const patience = 5 * time.Minute

// pollEvery is the time between two checks for a message.
const pollEvery = 50 * time.Millisecond

// messageName returns the name of a message: question or answer number n.
func messageName(folder, kind string, n int) string {
	return filepath.Join(folder, fmt.Sprintf("%s-%d", kind, n))
}

// writeMessage writes a message, which gets its name when it is complete.
func writeMessage(name, text string) error {
	if err := os.WriteFile(name+".part", []byte(text+"\n"), 0o666); err != nil {
		return err
	}
	return os.Rename(name+".part", name)
}

// awaitMessage waits for a message and returns it. It lists the folder, because that makes file
// systems ask their server for new names.
func awaitMessage(name string, within time.Duration) (string, error) {
	for end := time.Now().Add(within); ; time.Sleep(pollEvery) {
		_, _ = os.ReadDir(filepath.Dir(name))
		text, err := os.ReadFile(name)
		if err == nil && strings.HasSuffix(string(text), "\n") {
			return string(text), nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if time.Now().After(end) {
			return "", fmt.Errorf("waited %v for %s", within, name)
		}
	}
}

func (p *filePeer) ask(command ...string) (string, error) {
	p.n++
	if err := writeMessage(messageName(p.folder, "question", p.n), strings.Join(command, " ")); err != nil {
		return "", err
	}
	return answerIn(awaitMessage(messageName(p.folder, "answer", p.n), p.within))
}

func (p *filePeer) close() { _, _ = p.ask("quit") }

// answerByPipe answers the commands of a pipe until it ends.
func answerByPipe(folder string, in io.Reader, out io.Writer) error {
	h := &half{folder: folder}
	defer h.close()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if _, err := fmt.Fprintln(out, h.answer(lines.Text())); err != nil {
			return err
		}
	}
	return lines.Err()
}

// answerByFiles answers the commands of files until one says quit.
func answerByFiles(folder string) error {
	h := &half{folder: folder}
	defer h.close()
	for n := 1; ; n++ {
		question, err := awaitMessage(messageName(folder, "question", n), patience)
		if err != nil {
			return err
		}
		if err := writeMessage(messageName(folder, "answer", n), h.answer(strings.TrimSpace(question))); err != nil {
			return err
		}
		if strings.HasPrefix(question, "quit") {
			return nil
		}
	}
}

// A half is the state of the second process.
type half struct {
	folder  string
	file    vfs.File    // kept open, like that of an array
	mapping vfs.Mapping // of file
}

// answer executes a command and returns the line of the answer.
func (h *half) answer(command string) string {
	words := strings.Fields(command)
	if len(words) == 0 {
		return "error no command"
	}
	text, err := h.do(words[0], words[1:])
	if err != nil {
		return "error " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return "ok " + text
}

// do executes a command. The first argument, if there is one, is the name of a file.
func (h *half) do(verb string, args []string) (string, error) {
	name := ""
	if len(args) > 0 {
		name = filepath.Join(h.folder, filepath.Base(args[0]))
	}
	switch {
	case h.file == nil && slices.Contains([]string{"map", "lock", "lockrange", "size", "read", "refetch"}, verb),
		h.mapping == nil && verb == "readmapped":
		return "", fmt.Errorf("%s: no file is open", verb)
	}
	switch verb {
	case "quit":
		return "", nil
	case "open": // opens a file, and keeps it open
		h.close()
		var err error
		h.file, err = vfs.OS.Open(name, true)
		return "", err
	case "map":
		m, err := h.file.Map(0, vfs.MapAlign)
		h.mapping = m
		return "", err
	case "lock": // tries the lock of the open file
		return held(h.file.Lock(), h.file.Unlock)
	case "lockrange":
		unlock, err := h.file.TryLockRange(5, 1, false)
		return held(err, unlock)
	case "size":
		n, err := h.file.Size()
		return strconv.FormatInt(n, 10), err
	case "read":
		return readAll(h.file)
	case "readmapped":
		return hex.EncodeToString(h.mapping.Bytes()[:len(oldBytes)]), nil
	case "refetch":
		vfs.Refetch(h.file, 0, -1)
		return "", nil
	case "readnew":
		f, err := vfs.OS.Open(name, false)
		if err != nil {
			return "", err
		}
		defer f.Close()
		vfs.Refetch(f, 0, -1)
		return readAll(f)
	case "create":
		f, err := vfs.OS.Create(name)
		if errors.Is(err, fs.ErrExist) {
			return "exists", nil
		}
		if err != nil {
			return "", err
		}
		return "created", f.Close()
	}
	return "", fmt.Errorf("there is no command %q: the other half is of another version", verb)
}

// held returns the answer to an attempt to lock, and releases the lock.
func held(err error, unlock func() error) (string, error) {
	if errors.Is(err, vfs.ErrLocked) {
		return "held", nil
	}
	if err != nil {
		return "", err
	}
	return "free", unlock()
}

// readAll returns the bytes of a small file in hexadecimal.
func readAll(f vfs.File) (string, error) {
	b := make([]byte, 4096)
	n, err := f.ReadAt(b, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return hex.EncodeToString(b[:n]), err
}

func (h *half) close() {
	if h.mapping != nil {
		_ = h.mapping.Unmap()
	}
	if h.file != nil {
		_ = h.file.Close()
	}
	h.mapping, h.file = nil, nil
}
