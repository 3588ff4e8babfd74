package vfstest

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"drx/internal/vfs"
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
	access  vfs.Access // does not change
	opened  vfs.FS     // has one empty file for the locks, under every name with which it was opened
}

// firstName is the first name of the empty file of a crashNode.
const firstName = "node"

func newNode(a vfs.Access, now image) *crashNode {
	opened := vfs.NewMem()
	f, err := opened.CreateAs(firstName, a)
	if err == nil {
		a, err = f.Access()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		panic(err) // files in memory do not fail so
	}
	return &crashNode{now: now, durable: now.clone(), access: a, opened: opened}
}

// open returns an opening of the node under a name.
func (n *crashNode) open(c *Crash, name string, write bool) (vfs.File, error) {
	if err := n.opened.Link(firstName, name); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	f, err := n.opened.Open(name, write)
	if err != nil {
		return nil, err
	}
	return &crashFile{File: f, crash: c, node: n, write: write}, nil
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
			nodes[node] = newNode(node.access, left)
		}
		after.entries[name], after.durable[name] = nodes[node], nodes[node]
	}
	return after
}

// Killed returns the file system after all programs were killed but the machine continues: nothing
// is lost, nothing is locked, and changes that were not durable are still not durable.
func (c *Crash) Killed() *Crash {
	c.mu.Lock()
	defer c.mu.Unlock()
	next, copies := NewCrash(), map[*crashNode]*crashNode{nil: nil}
	of := func(node *crashNode) *crashNode {
		if _, ok := copies[node]; !ok {
			next := newNode(node.access, node.now.clone())
			next.durable, next.pending = node.durable.clone(), slices.Clone(node.pending)
			copies[node] = next
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

// node returns the node that a name refers to. c.mu must be held.
func (c *Crash) node(op, name string) (*crashNode, error) {
	if err := c.alive(); err != nil {
		return nil, err
	}
	n := c.entries[name]
	if n == nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

// nodeToChange is node for an operation that changes something, which it counts.
func (c *Crash) nodeToChange(op, name string) (*crashNode, error) {
	if c.entries[name] == nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return c.entries[name], c.step()
}

// Create makes a new file.
func (c *Crash) Create(name string) (vfs.File, error) {
	return c.CreateAs(name, vfs.Access{Mode: 0o644})
}

// CreateAs makes a new file with an Access.
func (c *Crash) CreateAs(name string, a vfs.Access) (vfs.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[name] != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	if err := c.step(); err != nil {
		return nil, err
	}
	node := newNode(a, image{})
	c.change(dirChange{name: name, node: node})
	return node.open(c, name, true)
}

// Open opens an existing file.
func (c *Crash) Open(name string, write bool) (vfs.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	node, err := c.node("open", name)
	if err != nil {
		return nil, err
	}
	return node.open(c, name, write)
}

// OpenNoFollow is Open: there are no links.
func (c *Crash) OpenNoFollow(name string, write bool) (vfs.File, error) { return c.Open(name, write) }

// Remove removes a file.
func (c *Crash) Remove(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.nodeToChange("remove", name); err != nil {
		return err
	}
	c.change(dirChange{name: name})
	return nil
}

// Rename gives a file another name.
func (c *Crash) Rename(from, to string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	node, err := c.nodeToChange("rename", from)
	if err != nil {
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
	return c.node("stat", name)
}

// List returns the names in a folder.
func (c *Crash) List(dir string) (files, folders []string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.alive(); err != nil {
		return nil, nil, err
	}
	names := vfs.NewMem()
	for name := range c.entries {
		if f, err := names.Create(name); err != nil || f.Close() != nil {
			return nil, nil, err
		}
	}
	return names.List(dir)
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
