package main

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapPopulate makes the system read all pages of a mapping at once, so that no page is read while
// it is timed.
const mapPopulate = unix.MAP_POPULATE

// dropPages drops the pages of a file that no process uses from the page cache.
func dropPages(f *os.File) error { return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }

// residentPages returns a byte per page of a file, whose lowest bit says whether it is in
// the page cache.
func residentPages(name string, size int64) (pages []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	mem, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unix.Munmap(mem)) }()
	pages = make([]byte, (size+4095)/4096)
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&mem[0])), uintptr(size), uintptr(unsafe.Pointer(&pages[0])))
	if errno != 0 {
		return nil, errno
	}
	return pages, nil
}

// endOfData returns the length of a file without the hole at its end.
func endOfData(name string) (end int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for {
		data, err := unix.Seek(int(f.Fd()), end, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) { // there is none behind end
			return end, nil
		}
		if err != nil {
			return 0, err
		}
		if end, err = unix.Seek(int(f.Fd()), data, unix.SEEK_HOLE); err != nil {
			return 0, err
		}
	}
}
