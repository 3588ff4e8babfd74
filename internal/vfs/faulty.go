package vfs

// An Op is an operation on a file system, for Faulty.Fail.
type Op string

// The operations that a Faulty asks about.
const (
	OpCreate   Op = "create"
	OpOpen     Op = "open"
	OpRemove   Op = "remove"
	OpSyncDir  Op = "syncdir"
	OpRead     Op = "read"
	OpWrite    Op = "write"
	OpSize     Op = "size"
	OpTruncate Op = "truncate"
	OpSync     Op = "sync"
	OpLock     Op = "lock"
	OpData     Op = "data"
	OpRename   Op = "rename"
	OpLink     Op = "link"
	OpIdentity Op = "identity"
	OpPunch    Op = "punch"
	OpMap      Op = "map"
)

// Faulty is a file system that calls Fail before each operation and does not perform it if
// Fail returns an error. A failing read or write is short: its first half was read or
// written.
type Faulty struct {
	FS
	Fail func(op Op, name string) error
}

// Create asks before it creates.
func (f Faulty) Create(name string) (File, error) {
	if err := f.Fail(OpCreate, name); err != nil {
		return nil, err
	}
	return f.wrap(f.FS.Create(name))
}

// CreateAs asks before it creates.
func (f Faulty) CreateAs(name string, a Access) (File, error) {
	if err := f.Fail(OpCreate, name); err != nil {
		return nil, err
	}
	return f.wrap(f.FS.CreateAs(name, a))
}

// OpenNoFollow asks before it opens.
func (f Faulty) OpenNoFollow(name string, write bool) (File, error) {
	if err := f.Fail(OpOpen, name); err != nil {
		return nil, err
	}
	return f.wrap(f.FS.OpenNoFollow(name, write))
}

// Open asks before it opens.
func (f Faulty) Open(name string, write bool) (File, error) {
	if err := f.Fail(OpOpen, name); err != nil {
		return nil, err
	}
	return f.wrap(f.FS.Open(name, write))
}

// Remove asks before it removes.
func (f Faulty) Remove(name string) error {
	if err := f.Fail(OpRemove, name); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

// Rename asks before it renames.
func (f Faulty) Rename(from, to string) error {
	if err := f.Fail(OpRename, from); err != nil {
		return err
	}
	return f.FS.Rename(from, to)
}

// Link asks before it links.
func (f Faulty) Link(from, to string) error {
	if err := f.Fail(OpLink, from); err != nil {
		return err
	}
	return f.FS.Link(from, to)
}

// Identity asks before it looks.
func (f Faulty) Identity(name string) (any, error) {
	if err := f.Fail(OpIdentity, name); err != nil {
		return nil, err
	}
	return f.FS.Identity(name)
}

// SyncDir asks before it syncs.
func (f Faulty) SyncDir(dir string) error {
	if err := f.Fail(OpSyncDir, dir); err != nil {
		return err
	}
	return f.FS.SyncDir(dir)
}

func (f Faulty) wrap(file File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return faultyFile{file, f.Fail}, nil
}

type faultyFile struct {
	File
	fail func(Op, string) error
}

func (f faultyFile) Identity() (any, error) {
	if err := f.fail(OpIdentity, f.Name()); err != nil {
		return nil, err
	}
	return f.File.Identity()
}

func (f faultyFile) ReadAt(b []byte, off int64) (int, error) {
	if err := f.fail(OpRead, f.Name()); err != nil {
		n, _ := f.File.ReadAt(b[:len(b)/2], off)
		return n, err
	}
	return f.File.ReadAt(b, off)
}

func (f faultyFile) WriteAt(b []byte, off int64) (int, error) {
	if err := f.fail(OpWrite, f.Name()); err != nil {
		n, _ := f.File.WriteAt(b[:len(b)/2], off)
		return n, err
	}
	return f.File.WriteAt(b, off)
}

func (f faultyFile) Size() (int64, error) {
	if err := f.fail(OpSize, f.Name()); err != nil {
		return 0, err
	}
	return f.File.Size()
}

func (f faultyFile) Truncate(size int64) error {
	if err := f.fail(OpTruncate, f.Name()); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f faultyFile) Punch(off, n int64) error {
	if err := f.fail(OpPunch, f.Name()); err != nil {
		return err
	}
	return f.File.Punch(off, n)
}

func (f faultyFile) Sync() error {
	if err := f.fail(OpSync, f.Name()); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f faultyFile) Lock() error {
	if err := f.fail(OpLock, f.Name()); err != nil {
		return err
	}
	return f.File.Lock()
}

func (f faultyFile) LockShared() error {
	if err := f.fail(OpLock, f.Name()); err != nil {
		return err
	}
	return f.File.LockShared()
}

func (f faultyFile) LockRange(off, n int64) (func() error, error) {
	if err := f.fail(OpLock, f.Name()); err != nil {
		return nil, err
	}
	return f.File.LockRange(off, n)
}

func (f faultyFile) Data(off int64) (from, to int64, err error) {
	if err := f.fail(OpData, f.Name()); err != nil {
		return 0, 0, err
	}
	return f.File.Data(off)
}
