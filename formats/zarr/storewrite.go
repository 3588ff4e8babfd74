package zarr

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
)

// A zipFile is the ZIP file of a store that is written.
type zipFile struct {
	*zip.Writer
	file   *os.File
	spills string // the folder for incomplete chunks
}

// makeFolder makes the folder of a store.
func (s *storeWriter) makeFolder(folder string) (err error) {
	if err = os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	if s.root, err = os.OpenRoot(folder); err != nil {
		return joined(err, os.Remove(folder))
	}
	return nil
}

// makeZip makes the ZIP file of a store, and a hidden folder beside it.
func (s *storeWriter) makeZip(name string) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	spills, err := os.MkdirTemp(filepath.Dir(name), ".zarr-*")
	if err == nil {
		if s.root, err = os.OpenRoot(spills); err == nil {
			s.zip = &zipFile{zip.NewWriter(file), file, spills}
			return nil
		}
		err = joined(err, os.Remove(spills))
	}
	return errors.Join(err, file.Close(), os.Remove(name))
}

// write writes a complete file of the store.
func (s *storeWriter) write(key string, data []byte) error {
	if s.zip == nil {
		return s.writeFile(key, data)
	}
	// Codecs have compressed the chunks already.
	w, err := s.zip.CreateHeader(&zip.FileHeader{Name: key, Method: zip.Store})
	if err == nil {
		_, err = w.Write(data)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, bare(err))
	}
	return nil
}

// writeFile writes a file below root, and creates its folders.
func (s *storeWriter) writeFile(key string, data []byte) error {
	if dir := path.Dir(key); dir != "." {
		if err := s.root.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("%s: %w", dir, bare(err))
		}
	}
	if err := s.root.WriteFile(key, data, 0o666); err != nil {
		return fmt.Errorf("%s: %w", key, bare(err))
	}
	return nil
}

// done completes the store after the last writer.
func (s *storeWriter) done() error {
	if s.users--; s.users > 0 {
		return nil
	}
	return s.finish()
}

// finish closes the folder, or the ZIP file with its directory.
func (s *storeWriter) finish() error {
	if s.zip == nil {
		return s.root.Close()
	}
	return errors.Join(s.zip.Close(), s.zip.file.Close(), s.root.Close(), os.RemoveAll(s.zip.spills))
}

// removeStore removes everything that Create has made.
func removeStore(name string) error { return os.RemoveAll(name) }
