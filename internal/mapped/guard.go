package mapped

import (
	"io"
	"runtime"
	"runtime/debug"
	"unsafe"

	"drx/internal/errkind"
)

// A memoryFault is the value with which the runtime panics if memory at an address cannot be read.
type memoryFault interface {
	runtime.Error
	Addr() uintptr
}

// Guard calls use, which may read what Bytes of the given files has returned, and returns its
// error. If a read of a file's bytes faults, Guard ends use, as a panic does, and returns an error
// that names the file and wraps io.ErrUnexpectedEOF: another process has truncated the file, or the
// device failed. Other panics pass through Guard. use must read the bytes itself, not in other
// goroutines and not in code that is not Go. Calls of Guard may be nested.
func Guard(use func() error, files ...*File) (err error) {
	defer recoverFault(debug.SetPanicOnFault(true), files, &err)
	return use()
}

// recoverFault ends Guard. It turns a fault on the bytes of one of the files into an error. before
// is the previous setting of debug.SetPanicOnFault.
func recoverFault(before bool, files []*File, err *error) {
	debug.SetPanicOnFault(before)
	cause := recover()
	if cause == nil {
		return
	}
	fault, ok := cause.(memoryFault)
	if !ok {
		panic(cause)
	}
	for _, f := range files {
		if off, ok := f.offset(fault.Addr()); ok {
			*err = errkind.Errorf(io.ErrUnexpectedEOF, "%s: byte %d cannot be read in place, the file was cut short or its device fails",
				f.file.Name(), off)
			return
		}
	}
	panic(cause)
}

// offset returns the offset in the file that is mapped to an address, and false if the address is
// in no mapping of f.
func (f *File) offset(addr uintptr) (int64, bool) {
	t := f.table.Load()
	if t == nil {
		return 0, false
	}
	for i, r := range *t {
		if r == nil || r.err != nil {
			continue
		}
		first := uintptr(unsafe.Pointer(unsafe.SliceData(r.bytes)))
		if addr >= first && addr-first < uintptr(len(r.bytes)) {
			return int64(i)<<regionBits + int64(addr-first), true
		}
	}
	return 0, false
}
