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

// An Owner is what a lock file says of the process that has the lock.
type Owner struct {
	Token string    `json:"token"` // of this lock alone
	Host  string    `json:"host"`
	Boot  string    `json:"boot"`  // the kernel's boot id, and the namespace of its process numbers
	PID   int       `json:"pid"`   // a number of that namespace
	Start string    `json:"start"` // when the process started, in ticks since the boot
	Since time.Time `json:"since"` // when it got the lock, by its clock
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
	text, _ := json.Marshal(o) // of strings and numbers
	b := bytes.Repeat([]byte{' '}, max(recordBytes, len(text)+1))
	copy(b, text)
	b[len(b)-1] = '\n'
	return b
}

// readOwner returns what a lock file says. A file that is just being written, or is damaged, has an
// owner without a token.
func readOwner(fsys vfs.FS, path string) (o Owner, text string, err error) {
	f, err := openLock(fsys, path, false)
	if err != nil {
		return o, "", err
	}
	defer f.Close()
	return ownerIn(f)
}

// openLock opens a lock file. FUSE may say that a file that another mount removes meanwhile is of
// no kind, so openLock asks again.
func openLock(fsys vfs.FS, path string, write bool) (f vfs.File, err error) {
	for range 10 {
		if f, err = fsys.OpenNoFollow(path, write); !errors.Is(err, vfs.ErrNotRegular) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return f, err
}

// ownerIn is readOwner for an open file.
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

// newToken returns a text that no other lock has.
func newToken() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// A Host tells who this process is, and what it knows of others. Tests replace it.
type Host struct {
	Self func() Owner // without a token
	// Alive reports whether the process of an owner runs, and whether that is known: only on the
	// machine, since the boot and in the namespace of the owner.
	Alive func(Owner) (alive, known bool)
	Now   func() time.Time
	Sleep func(time.Duration)
}

// thisHost is the Host of the system.
var thisHost = Host{Self: self, Alive: isAlive, Now: time.Now, Sleep: time.Sleep}

// self returns the owner that this process is.
func self() Owner {
	host, _ := os.Hostname()
	pid := os.Getpid()
	start, _ := startOf(pid)
	return Owner{Host: host, Boot: bootID(), PID: pid, Start: start}
}

// bootID returns a text that is different after each boot, and in each namespace of process
// numbers, such as a container; "" if the system has no such text.
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
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // from the state on
	if err != nil || len(fields) < 20 {
		return "", false
	}
	return fields[19], fields[0] != "Z" && fields[0] != "X"
}

// isAlive is Host.Alive. Another process may have the number by now.
func isAlive(o Owner) (alive, known bool) {
	if boot := bootID(); boot == "" || o.Boot != boot {
		return false, false
	}
	start, running := startOf(o.PID)
	return running && start == o.Start, true
}
