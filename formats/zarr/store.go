package zarr

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"drx/formats"
	"drx/internal/errkind"
)

// A store gives access to the files of a Zarr store by their keys, which are paths with slashes.
type store struct {
	files fs.FS
	// memory limits the bytes of one reader.
	memory   int64
	seekable bool // files can be read at any offset
	close    func() error
}

// metadataNames are the files that make a folder a node of a store.
var metadataNames = []string{"zarr.json", ".zarray", ".zgroup", ".zmetadata"}

// isStore reports whether a folder is a Zarr store.
func isStore(folder string) bool {
	for _, name := range metadataNames {
		if info, err := os.Stat(filepath.Join(folder, name)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// openStore opens a folder. Links that lead out of it are not followed.
func openStore(in *formats.Input) (*store, error) {
	root, err := os.OpenRoot(in.Path)
	if err != nil {
		return nil, err
	}
	return &store{files: root.FS(), memory: in.Memory, seekable: true, close: root.Close}, nil
}

func isZip(head []byte) bool { return strings.HasPrefix(string(head), "PK\x03\x04") }

// openZipStore opens a ZIP file. The store may also be the only folder in it, as in archives made
// by zip -r.
func openZipStore(in *formats.Input) (*store, error) {
	z, err := formats.OpenZip(in)
	if err == nil {
		err = checkMembers(z)
	}
	if err != nil {
		return nil, err
	}
	s := &store{files: z, memory: in.Memory - in.Memory/4, close: func() error { return nil }}
	entries, err := fs.ReadDir(z, ".")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, bare(err))
	}
	if len(entries) == 1 && entries[0].IsDir() {
		s.files, err = fs.Sub(z, entries[0].Name())
	}
	return s, err
}

// checkMembers returns an error if a name in a ZIP file leads out of the file, or if two members
// have the same name. Package zip would silently resolve such a name inside the file, and read the
// first of two equal members; zarr-python appends a member each time that it writes a chunk, and
// reads the last.
func checkMembers(z *zip.Reader) error {
	seen := make(map[string]bool, len(z.File))
	for _, f := range z.File {
		name := path.Clean(strings.ReplaceAll(f.Name, `\`, `/`))
		switch {
		case !fs.ValidPath(name):
			return errkind.Errorf(ErrFormat, "the ZIP file has a file %q, which lies outside of the store", f.Name)
		case strings.HasSuffix(f.Name, "/"):
			continue
		case seen[name]:
			return errkind.Errorf(ErrFormat, "the ZIP file has more than one file %q: unpack it, where the last one counts, and read the folder", f.Name)
		}
		seen[name] = true
	}
	return nil
}

// bare removes the file name from an error: that name is a key, without the path of the store,
// which the caller adds.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// read returns the content of a file, or nil if there is none. The error wraps formats.ErrMemory if
// the file exceeds limit.
func (s *store) read(key string, limit int64) ([]byte, error) {
	f, size, err := s.open(key)
	if f == nil || err != nil {
		return nil, err
	}
	defer f.Close()
	if size > limit {
		return nil, fmt.Errorf("%s: %d bytes: %w: the limit is %d", key, size, formats.ErrMemory, limit)
	}
	data := make([]byte, size)
	if n, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("%s: %d of %d bytes: %w", key, n, size, bare(err))
	}
	return data, nil
}

// open opens a file and returns its size, or nil if there is none. It checks the type of the file
// first, because opening a pipe would block until a writer comes.
func (s *store) open(key string) (fs.File, int64, error) {
	info, err := fs.Stat(s.files, key)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, 0, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errkind.Errorf(ErrFormat, "is not a regular file")
	}
	var f fs.File
	if err == nil {
		f, err = s.files.Open(key)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", key, bare(err))
	}
	return f, info.Size(), nil
}

// folders returns the names of the folders in a folder, sorted.
func (s *store) folders(key string) (names []string, err error) {
	entries, err := fs.ReadDir(s.files, path.Clean(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path.Clean(key), bare(err))
	}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
			continue
		}
		if e.Type()&fs.ModeSymlink != 0 {
			if info, err := fs.Stat(s.files, path.Join(key, e.Name())); err == nil && info.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	return names, nil
}
