package formats

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"drx/internal/errkind"
)

const (
	// zipEntryMemory is the number of bytes of memory per byte of a ZIP directory: an entry has at
	// least 46 bytes in the file and about 250 in memory.
	zipEntryMemory = 8
	// zipEnd is the size of the record at the end of a ZIP file, without its comment of at most 64
	// KiB.
	zipEnd = 22
	// zip64Locator is the size of the record before it in files above 4 GiB.
	zip64Locator = 20
)

// OpenZip reads the directory of a ZIP file, for formats that are stored in one. The input must be
// a file, because the directory is at its end. The error wraps zip.ErrFormat for a damaged file,
// ErrMemory if the directory takes more than a quarter of in.Memory, and errors.ErrUnsupported for
// a stream.
func OpenZip(in *Input) (*zip.Reader, error) {
	if in.File == nil {
		return nil, errkind.Errorf(errors.ErrUnsupported, "a ZIP file is read from its end, which a pipe does not allow; save it in a file first")
	}
	size, err := zipDirectory(in)
	if err != nil {
		return nil, err
	}
	if limit := in.Memory / 4; size > limit/zipEntryMemory {
		return nil, fmt.Errorf("the directory of the ZIP file has %d bytes: %w: it may take a quarter of the limit of %d bytes",
			size, ErrMemory, in.Memory)
	}
	return zip.NewReader(in.File, in.Size)
}

// zipDirectory returns an upper bound for the size of the directory that a reader will read: the
// size in the end record, or all bytes from the directory's offset on, if that is more.
func zipDirectory(in *Input) (int64, error) {
	tail := make([]byte, min(in.Size, zipEnd+1<<16))
	if _, err := in.File.ReadAt(tail, in.Size-int64(len(tail))); err != nil && err != io.EOF {
		return 0, err
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < zipEnd {
		return 0, errkind.Of(io.ErrUnexpectedEOF, errkind.Errorf(zip.ErrFormat, "the ZIP file has no directory at its end, so it is cut or damaged"))
	}
	size, offset := int64(binary.LittleEndian.Uint32(tail[at+12:])), int64(binary.LittleEndian.Uint32(tail[at+16:]))
	if (size == math.MaxUint32 || offset == math.MaxUint32) && at >= zip64Locator {
		var record [56]byte // ZIP64: the locator before the end says where the larger record is
		where := int64(binary.LittleEndian.Uint64(tail[at-zip64Locator+8:]))
		if n, _ := in.File.ReadAt(record[:], max(where, 0)); n == len(record) {
			size, offset = int64(binary.LittleEndian.Uint64(record[40:])), int64(binary.LittleEndian.Uint64(record[48:]))
		}
	}
	if size < 0 || offset < 0 || size > in.Size || offset > in.Size {
		return 0, fmt.Errorf("a directory of %d bytes at byte %d in a ZIP file of %d: %w", size, offset, in.Size, zip.ErrFormat)
	}
	return max(size, in.Size-int64(len(tail)-at)-offset), nil
}
