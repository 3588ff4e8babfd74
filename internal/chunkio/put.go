package chunkio

import (
	"time"

	"drx/internal/vfs"
)

// allocated is how many bytes are worth the call that finds room for them first.
const allocated = 256 << 10

// put writes bytes to a file, large ones in a way that costs the system least.
func put(f vfs.File, buf []byte, off int64, p *pace) error {
	if len(buf) >= allocated {
		f.Allocate(off, int64(len(buf)))
	}
	for len(buf) > 0 {
		n := min(pieceBytes[p.next()], len(buf))
		begun := time.Now()
		if _, err := f.WriteAt(buf[:n], off); err != nil {
			return err
		}
		p.took(n, time.Since(begun))
		buf, off = buf[n:], off+int64(n)
	}
	return nil
}
