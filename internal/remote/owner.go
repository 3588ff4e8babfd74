package remote

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"drx/internal/vfs"
)

// An Owner is the contents of a lock file: the process that has the lock.
type Owner struct {
	Token string    `json:"token"` // unique to this lock
	Host  string    `json:"host"`
	Boot  string    `json:"boot"`  // the kernel's boot id, and the namespace of its process numbers
	PID   int       `json:"pid"`   // in that namespace
	Start string    `json:"start"` // when the process started, in ticks since the boot
	Since time.Time `json:"since"` // when it acquired the lock, by its clock
	Beat  int64     `json:"beat"`  // counts its signs of life
	Time  time.Time `json:"time"`  // of the last sign of life, by its clock
}

// String says which process it is.
func (o Owner) String() string {
	if o.Token == "" {
		return "an unknown process"
	}
	return fmt.Sprintf("process %d on %s", o.PID, o.Host)
}

// recordBytes is the length of a lock file: one write replaces all of it.
const recordBytes = 512

// encode returns the contents of the lock file: a line of JSON, with spaces before its end.
func (o Owner) encode() []byte {
	text, _ := json.Marshal(o) // cannot fail for strings, numbers and times
	b := bytes.Repeat([]byte{' '}, max(recordBytes, len(text)+1))
	copy(b, text)
	b[len(b)-1] = '\n'
	return b
}

// readOwner returns the contents of a lock file. The owner of a file that is just being written, or
// is damaged, has no token.
func readOwner(fsys vfs.FS, path string) (o Owner, text string, err error) {
	f, err := openLock(fsys, path, false)
	if err != nil {
		return o, "", err
	}
	defer f.Close()
	return ownerIn(f)
}

// openLock opens a lock file. FUSE may report a file that another mount is removing as not regular,
// so openLock retries.
func openLock(fsys vfs.FS, path string, write bool) (f vfs.File, err error) {
	for range 10 {
		if f, err = fsys.OpenNoFollow(path, write); !errors.Is(err, vfs.ErrNotRegular) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return f, err
}

// ownerIn is readOwner for a file that is already open.
func ownerIn(f vfs.File) (o Owner, text string, err error) {
	vfs.Refetch(f, 0, -1)
	b := make([]byte, 2*recordBytes)
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return o, "", err
	}
	if json.Unmarshal(b[:n], &o) != nil {
		o = Owner{}
	}
	return o, string(b[:n]), nil
}

// newToken returns a random text, unique to a lock.
func newToken() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// A Host identifies this process and reports on others. Tests replace it.
type Host struct {
	Self func() Owner // without a token
	// Alive reports whether the process of an owner runs, and whether that can be known: only on
	// the same machine, in the same boot and namespace as the owner.
	Alive func(Owner) (alive, known bool)
	Now   func() time.Time
	Sleep func(time.Duration)
}

// thisHost is the Host of the system.
var thisHost = Host{Self: self, Alive: isAlive, Now: time.Now, Sleep: time.Sleep}

// self returns this process as an owner, without a token.
func self() Owner {
	host, _ := os.Hostname()
	pid := os.Getpid()
	start, _ := startOf(pid)
	return Owner{Host: host, Boot: bootID(), PID: pid, Start: start}
}

// bootID returns a text that identifies the current boot and the namespace of process numbers, such
// as a container; "" if the system has no such text.
func bootID() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, linkErr := os.Readlink("/proc/self/ns/pid")
	if err != nil || linkErr != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + space
}

// startOf returns when a process started, in ticks since the boot, see proc_pid_stat(5), and false
// if there is no such process, or it is a zombie.
func startOf(pid int) (start string, running bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // starts at the state
	if err != nil || len(fields) < 20 {
		return "", false
	}
	return fields[19], fields[0] != "Z" && fields[0] != "X"
}

// isAlive is Host.Alive. It compares start times, because another process may have the number by
// now.
func isAlive(o Owner) (alive, known bool) {
	if boot := bootID(); boot == "" || o.Boot != boot {
		return false, false
	}
	start, running := startOf(o.PID)
	return running && start == o.Start, true
}
