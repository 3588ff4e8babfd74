package partest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"drx/parallel/par"
)

// opens: flags mean the same as in package os.
func opens(c par.Comm, dir string) error {
	name := filepath.Join(dir, "new")
	_, missing := c.OpenFile(name, os.O_RDWR, nil)
	_, folder := c.OpenFile(filepath.Join(dir, "no", "such"), rw, nil)
	_, flag := c.OpenFile(name, os.O_WRONLY, nil)
	_, create := c.OpenFile(name, os.O_CREATE, nil)
	f, err := c.OpenFile(name, rw|os.O_EXCL, nil)
	if err != nil {
		return err
	}
	_, exists := c.OpenFile(name, rw|os.O_EXCL, nil)
	errs := []error{
		is("missing", missing, fs.ErrNotExist), from("missing", missing, 0), is("folder", folder, fs.ErrNotExist),
		is("flag", flag, par.ErrArgument), is("create", create, par.ErrArgument), is("exists", exists, fs.ErrExist),
		equal("name", f.Name(), name), fill(c, f, 100), f.Close(),
	}
	for _, o := range []struct {
		flag int
		size int64
	}{{os.O_RDONLY, 100}, {os.O_RDWR, 100}, {rw, 100}, {rw | os.O_TRUNC, 0}} {
		f, err := c.OpenFile(name, o.flag, nil)
		if err != nil {
			return err
		}
		size, err := f.Size()
		errs = append(errs, err, equal("size", size, o.size), f.Close())
	}
	return errors.Join(errs...)
}

// fileErrors: an error of one proc is an error of all procs, and the file can be used further.
func fileErrors(c par.Comm, dir string) error {
	name := filepath.Join(dir, "errors")
	f, err := c.OpenFile(name, rw, nil)
	if err != nil {
		return err
	}
	last := c.Procs() - 1
	only := func(pieces ...par.Piece) []par.Piece {
		if c.Proc() == last {
			return pieces
		}
		return nil
	}
	if err := fill(c, f, 100); err != nil {
		return err
	}
	behind := f.ReadAll(only(par.Piece{Off: 95, Data: make([]byte, 6)}))
	errs := []error{
		is("behind the end", behind, io.ErrUnexpectedEOF), from("behind the end", behind, last),
		f.ReadAll(only(par.Piece{Off: 95, Data: make([]byte, 5)}, par.Piece{Off: 200})),
		is("overlap", f.WriteAll(only(par.Piece{Off: 0, Data: make([]byte, 6)}, par.Piece{Off: 5})), par.ErrArgument),
		is("offset", f.WriteAll(only(par.Piece{Off: -1})), par.ErrArgument),
		f.Close(),
		is("closed", f.Close(), par.ErrClosed), is("closed", f.ReadAll(nil), par.ErrClosed),
	}
	return errors.Join(append(errs, readOnly(c, name))...)
}

func readOnly(c par.Comm, name string) error {
	f, err := c.OpenFile(name, os.O_RDONLY, nil)
	if err != nil {
		return err
	}
	refused, closing := f.WriteAll(nil), f.Close()
	_, err = f.Size()
	return errors.Join(is("write", refused, fs.ErrPermission), closing, is("size", err, par.ErrClosed))
}

// fileNames: names are taken literally, even if MPI-IO would interpret them.
func fileNames(c par.Comm, dir string) error {
	var errs []error
	for i, name := range []string{"a b", "a:b", "ufs:c", "nfs:d", "\u6587\u4ef6", "%s"} {
		path := filepath.Join(dir, name)
		f, err := c.OpenFile(path, rw, nil)
		if err != nil {
			return err
		}
		size, sizeErr := f.Size()
		errs = append(errs, fill(c, f, i), f.Close(), sizeErr, equal("size of new "+name, size, 0))
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		errs = append(errs, equal("size of "+name, info.Size(), int64(i)))
	}
	_, zero := c.OpenFile(filepath.Join(dir, "a\x00b"), rw, nil)
	if zero == nil {
		errs = append(errs, errors.New("a name with a zero byte was taken"))
	}
	return errors.Join(errs...)
}
