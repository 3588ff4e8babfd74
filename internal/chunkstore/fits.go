package chunkstore

import (
	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/errkind"
	"drx/internal/vfs"
	"drx/nd"
)

// Fits returns an error wrapping nd.ErrOverflow if the file system does not allow files that have
// room for a number of chunks. It asks the file system only when that number has doubled, or is
// more than half of what fits.
func (s *Store) Fits(chunks axial.Number) error {
	if int64(chunks) <= s.fits.Load() {
		return nil
	}
	for _, f := range []struct {
		file vfs.File
		each int64
	}{{s.files.Data, s.slot}, {s.files.Table, chunktable.EntrySize}} {
		if size := int64(chunks) * f.each; !vfs.MayGrowTo(f.file, size) {
			return errkind.InFile(f.file.Name(), errkind.Errorf(nd.ErrOverflow, "%d chunks need a file of %d bytes, and the file system "+
				"allows %d: put the array on a file system with longer files, such as XFS, or begin another array", chunks, size, vfs.MaxSize(f.file)))
		}
	}
	const most = 1 << 60 / chunktable.EntrySize
	fits := min(2*int64(chunks), most/max(1, s.slot/chunktable.EntrySize))
	if fits > int64(chunks) && vfs.MayGrowTo(s.files.Data, fits*s.slot) && vfs.MayGrowTo(s.files.Table, fits*chunktable.EntrySize) {
		s.fits.Store(fits)
	}
	return nil
}
