package vfs

import "sync"

// Lazy returns a file that is opened at its first use other than Name and Close, for files that
// most programs do not need. If opening fails, that use returns the error, and the next use tries
// again.
func Lazy(name string, open func() (File, error)) File { return &lazyFile{name: name, open: open} }

type lazyFile struct {
	name string
	open func() (File, error)

	mu     sync.Mutex
	file   File
	closed bool
}

// get returns the file, opened.
func (l *lazyFile) get() (File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		return l.file, nil
	}
	if l.closed {
		return nil, CheckOp("open", l.name, 0, true, false)
	}
	f, err := l.open()
	if err != nil {
		return nil, err
	}
	l.file = f
	return f, nil
}

func (l *lazyFile) Name() string { return l.name }

func (l *lazyFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		return l.file.Close()
	}
	if l.closed {
		return CheckOp("close", l.name, 0, true, false)
	}
	l.closed = true
	return nil
}

// with calls f with the file, opened.
func with[T any](l *lazyFile, f func(File) (T, error)) (T, error) {
	file, err := l.get()
	if err != nil {
		var none T
		return none, err
	}
	return f(file)
}

// do is with for functions that return nothing but an error.
func (l *lazyFile) do(f func(File) error) error {
	file, err := l.get()
	if err != nil {
		return err
	}
	return f(file)
}

func (l *lazyFile) ReadAt(b []byte, off int64) (int, error) {
	return with(l, func(f File) (int, error) { return f.ReadAt(b, off) })
}

func (l *lazyFile) WriteAt(b []byte, off int64) (int, error) {
	return with(l, func(f File) (int, error) { return f.WriteAt(b, off) })
}

func (l *lazyFile) Identity() (any, error)    { return with(l, File.Identity) }
func (l *lazyFile) Access() (Access, error)   { return with(l, File.Access) }
func (l *lazyFile) Size() (int64, error)      { return with(l, File.Size) }
func (l *lazyFile) Allocated() (int64, error) { return with(l, File.Allocated) }
func (l *lazyFile) Sync() error               { return l.do(File.Sync) }
func (l *lazyFile) Lock() error               { return l.do(File.Lock) }
func (l *lazyFile) LockShared() error         { return l.do(File.LockShared) }
func (l *lazyFile) Unlock() error             { return l.do(File.Unlock) }

// Locks opens the file when the lock is used.
func (l *lazyFile) Locks(n int) Locker { return lazyLock{l, n} }

type lazyLock struct {
	file *lazyFile
	n    int
}

func (l lazyLock) do(f func(Locker) error) error {
	return l.file.do(func(file File) error { return f(file.Locks(l.n)) })
}

func (l lazyLock) Lock() error       { return l.do(Locker.Lock) }
func (l lazyLock) LockShared() error { return l.do(Locker.LockShared) }
func (l lazyLock) Unlock() error     { return l.do(Locker.Unlock) }

func (l lazyLock) Locked() bool {
	f, err := l.file.get()
	return err == nil && f.Locks(l.n).Locked()
}

func (l *lazyFile) Punch(off, n int64) error {
	return l.do(func(f File) error { return f.Punch(off, n) })
}

func (l *lazyFile) Truncate(size int64) error {
	return l.do(func(f File) error { return f.Truncate(size) })
}

func (l *lazyFile) Allocate(off, n int64) {
	if f, err := l.get(); err == nil {
		f.Allocate(off, n)
	}
}

func (l *lazyFile) TryLockRange(off, n int64, shared bool) (func() error, error) {
	return with(l, func(f File) (func() error, error) { return f.TryLockRange(off, n, shared) })
}

func (l *lazyFile) LockRange(off, n int64) (func() error, error) {
	return with(l, func(f File) (func() error, error) { return f.LockRange(off, n) })
}

func (l *lazyFile) Locked() bool {
	f, err := l.get()
	return err == nil && f.Locked()
}

func (l *lazyFile) Data(off int64) (from, to int64, err error) {
	f, err := l.get()
	if err != nil {
		return 0, 0, err
	}
	return f.Data(off)
}

func (l *lazyFile) Map(off int64, n int) (Mapping, error) {
	return with(l, func(f File) (Mapping, error) { return f.Map(off, n) })
}
