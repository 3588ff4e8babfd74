package vfs

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"sync"
)

// ErrCrashed is returned by every operation of a Crash that has crashed.
var ErrCrashed = errors.New("the machine has crashed")

// Crash is a file system in memory that simulates crashes. Until a file is synced, any subset of
// the sectors written to it may reach the disk, in any order. The same is true for the creations,
// removals, renames and links in a directory until it is synced. It crashes after the number of
// operations that CrashAfter sets; After then returns a possible state of the disk.
type Crash struct {
	mu      sync.Mutex
	entries map[string]*crashNode // the directory as programs see it
	durable map[string]*crashNode // and as the disk has it
	pending []dirChange
	ops     int
	limit   int // operations until the crash; negative is none
}

// A dirChange makes name refer to node, or removes name if node is nil. It also removes from, if
// that is not empty, so that a rename is one atomic change.
type dirChange struct {
	name string
	node *crashNode
	from string
}

type crashNode struct {
	now     image // as programs see it
	durable image
	pending []change
	access  Access // does not change
	locks   nodeLocks
}

// NewCrash returns an empty file system that does not crash yet.
func NewCrash() *Crash {
	return &Crash{entries: map[string]*crashNode{}, durable: map[string]*crashNode{}, limit: -1}
}

// CrashAfter makes the file system crash after n more operations that change it.
func (c *Crash) CrashAfter(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ops, c.limit = 0, n
}

// Ops returns the number of operations that changed something since CrashAfter.
func (c *Crash) Ops() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ops
}

// A Keep decides which changes that were not durable reach the disk: change number i of n of a
// file. If a slash follows the name, it is a change of the directories: that name is created,
// removed or refers to another file. See isEntry.
type Keep func(file string, i, n int) bool

// After returns a file system with the contents of the disk after the crash.
func (c *Crash) After(keep Keep) *Crash {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries := map[string]*crashNode{}
	for name, node := range c.durable {
		entries[name] = node
	}
	for i, change := range c.pending {
		if keep(change.name+"/", i, len(c.pending)) {
			change.apply(entries)
		}
	}
	after, nodes := NewCrash(), map[*crashNode]*crashNode{}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		node := entries[name]
		if nodes[node] == nil { // of a file with several names the first one decides what is kept
			left := node.durable.clone()
			for i, change := range node.pending {
				if keep(name, i, len(node.pending)) {
					left.apply(change)
				}
			}
			nodes[node] = &crashNode{now: left, durable: left.clone(), access: node.access}
		}
		after.entries[name], after.durable[name] = nodes[node], nodes[node]
	}
	return after
}

// Killed returns the file system after all programs were killed but the machine runs on: nothing is
// lost, nothing is locked, and changes that were not durable are still not durable.
func (c *Crash) Killed() *Crash {
	c.mu.Lock()
	defer c.mu.Unlock()
	next, copies := NewCrash(), map[*crashNode]*crashNode{nil: nil}
	of := func(node *crashNode) *crashNode {
		if _, ok := copies[node]; !ok {
			copies[node] = &crashNode{
				now: node.now.clone(), durable: node.durable.clone(), pending: slices.Clone(node.pending), access: node.access,
			}
		}
		return copies[node]
	}
	for name, node := range c.entries {
		next.entries[name] = of(node)
	}
	for name, node := range c.durable {
		next.durable[name] = of(node)
	}
	for _, d := range c.pending {
		next.pending = append(next.pending, dirChange{d.name, of(d.node), d.from})
	}
	return next
}

func (d dirChange) apply(entries map[string]*crashNode) {
	if d.node == nil {
		delete(entries, d.name)
		return
	}
	entries[d.name] = d.node
	delete(entries, d.from)
}

// step counts an operation that changes something. c.mu must be held.
func (c *Crash) step() error {
	err := c.alive()
	if err == nil {
		c.ops++
	}
	return err
}

// alive is step for operations that change nothing: it does not count them.
func (c *Crash) alive() error {
	if c.limit >= 0 && c.ops >= c.limit {
		return ErrCrashed
	}
	return nil
}

func (c *Crash) change(d dirChange) {
	d.apply(c.entries)
	c.pending = append(c.pending, d)
}

// Create makes a new file.
func (c *Crash) Create(name string) (File, error) { return c.CreateAs(name, defaultAccess) }

// CreateAs makes a new file with an Access.
func (c *Crash) CreateAs(name string, a Access) (File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[name] != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	if err := c.step(); err != nil {
		return nil, err
	}
	node := &crashNode{access: a.inMemory()}
	c.change(dirChange{name: name, node: node})
	return &crashFile{crash: c, node: node, name: name, write: true}, nil
}

// Open opens an existing file.
func (c *Crash) Open(name string, write bool) (File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.alive(); err != nil {
		return nil, err
	}
	node := c.entries[name]
	if node == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &crashFile{crash: c, node: node, name: name, write: write}, nil
}

// OpenNoFollow is Open: there are no links.
func (c *Crash) OpenNoFollow(name string, write bool) (File, error) { return c.Open(name, write) }

// Remove removes a file.
func (c *Crash) Remove(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	if err := c.step(); err != nil {
		return err
	}
	c.change(dirChange{name: name})
	return nil
}

// Rename gives a file another name.
func (c *Crash) Rename(from, to string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	node := c.entries[from]
	if node == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	if err := c.step(); err != nil {
		return err
	}
	c.change(dirChange{to, node, from})
	return nil
}

// Link gives a file a second name.
func (c *Crash) Link(from, to string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	node := c.entries[from]
	if node == nil {
		return &fs.PathError{Op: "link", Path: from, Err: fs.ErrNotExist}
	}
	if c.entries[to] != nil {
		return &fs.PathError{Op: "link", Path: to, Err: fs.ErrExist}
	}
	if err := c.step(); err != nil {
		return err
	}
	c.change(dirChange{name: to, node: node})
	return nil
}

// Identity returns the node that a name refers to.
func (c *Crash) Identity(name string) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.alive(); err != nil {
		return nil, err
	}
	node := c.entries[name]
	if node == nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return node, nil
}

// List returns the names in a folder.
func (c *Crash) List(dir string) (files, folders []string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.alive(); err != nil {
		return nil, nil, err
	}
	return listNames(dir, maps.Keys(c.entries))
}

// Mkdir does nothing: a folder is there if a file in it is.
func (c *Crash) Mkdir(string) error { return nil }

// SyncDir makes the changes of a directory durable.
func (c *Crash) SyncDir(dir string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.step(); err != nil {
		return err
	}
	rest := c.pending[:0]
	for _, d := range c.pending {
		if filepath.Dir(d.name) == filepath.Clean(dir) {
			d.apply(c.durable)
		} else {
			rest = append(rest, d)
		}
	}
	c.pending = rest
	return nil
}

type crashFile struct {
	crash *Crash
	node  *crashNode
	name  string
	write bool
	// Guarded by crash.mu.
	held   heldLocks
	closed bool
}

// check returns an error for operations that the operating system would reject, see checkOp, and
// for every operation after the crash.
func (f *crashFile) check(op string, at int64) error {
	if err := checkOp(op, f.name, at, f.closed, false); err != nil {
		return err
	}
	return f.crash.alive()
}

// step is check for operations that change something: they are counted.
func (f *crashFile) step(op string, at int64) error {
	if err := checkOp(op, f.name, at, f.closed, !f.write); err != nil {
		return err
	}
	return f.crash.step()
}

func (f *crashFile) Name() string { return f.name }

func (f *crashFile) Identity() (any, error) {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	return f.node, f.check("stat", 0)
}

func (f *crashFile) Access() (Access, error) {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	return f.node.access, f.check("stat", 0)
}

func (f *crashFile) ReadAt(b []byte, off int64) (int, error) {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	if err := f.check("read", off); err != nil {
		return 0, err
	}
	n := f.node.now.readAt(b, off)
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *crashFile) WriteAt(b []byte, off int64) (int, error) {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	if err := f.step("write", min(off, math.MaxInt64-int64(len(b))-off)); err != nil {
		return 0, err
	}
	for done := 0; done < len(b); {
		at := off + int64(done)
		part := b[done:min(len(b), done+crashSector-int(at%crashSector))]
		f.change(change{off: at, data: slices.Clone(part)})
		done += len(part)
	}
	return len(b), nil
}

func (f *crashFile) change(h change) {
	f.node.now.apply(h)
	f.node.pending = append(f.node.pending, h)
}

func (f *crashFile) Truncate(size int64) error {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	if err := f.step("truncate", size); err != nil {
		return err
	}
	f.change(change{off: size, length: true})
	return nil
}

// Allocate changes nothing that can be read.
func (f *crashFile) Allocate(int64, int64) {}

// Punch writes zeros: like any write it may reach the disk completely, in part or not at all.
func (f *crashFile) Punch(off, n int64) error {
	size, err := f.Size()
	if n = min(n, size-off); err != nil || n <= 0 {
		return err
	}
	_, err = f.WriteAt(make([]byte, n), off)
	return err
}

// Sync counts as a change of the disk, even by a file open for reading.
func (f *crashFile) Sync() error {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	if err := checkOp("sync", f.name, 0, f.closed, false); err != nil {
		return err
	}
	if err := f.crash.step(); err != nil {
		return err
	}
	f.node.durable = f.node.now.clone()
	f.node.pending = nil
	return nil
}

func (f *crashFile) Size() (int64, error) {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	return f.node.now.size, f.check("size", 0)
}

// Allocated returns the size: a Crash has no holes.
func (f *crashFile) Allocated() (int64, error) { return f.Size() }

func (f *crashFile) Data(off int64) (from, to int64, err error) {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	size := f.node.now.size
	if err = f.check("seek", off); err == nil && off >= size {
		err = io.EOF
	}
	return off, size, err
}

func (f *crashFile) Lock() error { return f.Locks(0).Lock() }

func (f *crashFile) LockShared() error { return f.Locks(0).LockShared() }

func (f *crashFile) Unlock() error { return f.Locks(0).Unlock() }

func (f *crashFile) Locked() bool { return f.Locks(0).Locked() }

// Locks returns lock number n.
func (f *crashFile) Locks(n int) Locking {
	return memLock{&f.crash.mu, &f.node.locks, &f.held, n, f.name, func(op string) error { return f.check(op, 0) }}
}

func (f *crashFile) LockRange(off, n int64) (func() error, error) {
	return f.node.locks.ranges.lock(off, n), nil
}

// Close closes the file and releases its locks, even after the crash.
func (f *crashFile) Close() error {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	if err := checkOp("close", f.name, 0, f.closed, false); err != nil {
		return err
	}
	f.held.unlockAll(&f.node.locks)
	f.closed = true
	return nil
}
