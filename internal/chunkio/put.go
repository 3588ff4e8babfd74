package chunkio

import "drx/internal/vfs"

const (
	// allocated is how many bytes are worth the call that finds room for them first.
	allocated = 256 << 10
	// piece is how many bytes go to the file at a time. The system's cache takes memory in blocks as
	// large as what is written at once, and large ones are often not at hand: writing a MiB at a
	// time has taken two to four times as long where memory was in pieces, or where the host of a
	// virtual machine had taken back what was free, and as long as this elsewhere.
	piece = 128 << 10
)

// put writes bytes to a file, large ones in a way that costs the system least.
func put(f vfs.File, buf []byte, off int64) error {
	if len(buf) >= allocated {
		f.Allocate(off, int64(len(buf)))
	}
	for len(buf) > 0 {
		n := min(piece, len(buf))
		if _, err := f.WriteAt(buf[:n], off); err != nil {
			return err
		}
		buf, off = buf[n:], off+int64(n)
	}
	return nil
}
