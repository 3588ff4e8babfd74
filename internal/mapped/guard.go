package mapped

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// A memoryFault is what the runtime panics with when an address cannot be read.
type memoryFault interface {
	runtime.Error
	Addr() uintptr
}

// Guard calls use, which reads what Bytes of these files has returned, and returns its error.
// A memory fault on a file's bytes ends use, as a panic does, and becomes an error that names
// the file and wraps io.ErrUnexpectedEOF: the file was cut short by someone, or the device
// failed. Other panics go on. use must not leave the reading to other goroutines, nor to
// code that is not Go. Calls nest.
func Guard(use func() error, files ...*File) (err error) {
	defer caught(debug.SetPanicOnFault(true), files, &err)
	return use()
}

// caught ends Guard: it turns the fault that was meant for it into an error.
func caught(before bool, files []*File, err *error) {
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
			*err = fmt.Errorf("%s: byte %d cannot be read in place, the file was cut short or its device fails: %w",
				f.file.Name(), off, io.ErrUnexpectedEOF)
			return
		}
	}
	panic(cause)
}

// offset returns the byte of the file that an address belongs to, and false if it
// belongs to no mapping.
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
