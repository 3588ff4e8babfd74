package transfer

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// randomLetters is the number of random letters, from rand.Text, that end the name of a hidden
// folder.
const randomLetters = 10

// A hiddenFolder is the folder in which a file is written before it gets its name. The process
// holds a lock on it, which the system releases when the process dies: a folder that can be locked
// was left by a killed export.
type hiddenFolder struct {
	name string
	lock *os.File // nil where folders cannot be locked: leftovers are then not removed
}

// makeHidden makes a hidden folder beside the file dst.
func makeHidden(dst string) (hiddenFolder, error) {
	for {
		name := filepath.Join(filepath.Dir(dst), fmt.Sprintf(".%s.%s", filepath.Base(dst), rand.Text()[:randomLetters]))
		if err := os.Mkdir(name, 0o777); err != nil {
			return hiddenFolder{}, err
		}
		f, err := os.Open(name)
		if err == nil && unix.Flock(int(f.Fd()), unix.LOCK_EX) != nil {
			f.Close()
			f = nil
		}
		if _, err = os.Lstat(name); err == nil {
			return hiddenFolder{name, f}, nil
		}
		if f != nil { // another export removed it as a leftover before it was locked: try again
			f.Close()
		}
	}
}

// remove removes the folder and its contents.
func (h hiddenFolder) remove() error {
	err := os.RemoveAll(h.name)
	if h.lock != nil {
		h.lock.Close() // opened for its lock alone
	}
	return err
}

// removeLeftovers removes the hidden folders that killed exports to dst have left, as far as it
// can.
func removeLeftovers(dst string) {
	folder, begin := filepath.Dir(dst), "."+filepath.Base(dst)+"."
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if end, ok := strings.CutPrefix(e.Name(), begin); ok && e.IsDir() && len(end) == randomLetters && strings.Trim(end, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == "" {
			removeLeftover(filepath.Join(folder, e.Name()), dst)
		}
	}
}

// removeLeftover removes a hidden folder unless its lock shows that it is in use. If dst itself is
// still in the folder, the export was killed before or within publish, which moves dst last: files
// that publish has linked already are removed, too.
func removeLeftover(name, dst string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return
	}
	entries, err := f.ReadDir(-1)
	if err != nil {
		return
	}
	if _, err := os.Lstat(filepath.Join(name, filepath.Base(dst))); err == nil {
		for _, e := range entries {
			here, err := os.Lstat(filepath.Join(name, e.Name()))
			path := filepath.Join(filepath.Dir(dst), e.Name())
			there, errThere := os.Lstat(path)
			if err == nil && errThere == nil && os.SameFile(here, there) {
				_ = os.Remove(path) // if it stays, publish reports that it exists
			}
		}
	}
	_ = os.RemoveAll(name) // the next export tries again
}
