package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"drx"
)

// Pack writes the files of a dataset, or of any file with several arrays, to a stream under the
// given name. drx.Pack does so for one array; Unpack reads the stream. If progress is not nil, it
// is called with the name of an array, the number of its bytes packed so far, and their total. The
// error is that of Copy, or the io.Writer's. After an error the stream has no end mark, which
// Unpack notices.
func Pack(ctx context.Context, folder, name string, w io.Writer, progress func(array string, done, total int64)) error {
	d := &Dataset{folder: filepath.Clean(folder)}
	declared, err := isDeclared(folder)
	if err != nil {
		return err
	}
	if declared || !drx.IsContainer(d.folder) {
		if d, err = openAlone(folder); err != nil {
			return err
		}
		defer func() { _ = d.Discard() }() // nothing was changed
	}
	p, err := drx.NewPacker(w, name, true)
	if err == nil {
		err = d.packGroup(ctx, p, "", progress)
	}
	if err == nil {
		err = p.Close()
	}
	return err
}

// packGroup packs the arrays of a group, the Marker first, and then its subgroups.
func (d *Dataset) packGroup(ctx context.Context, p *drx.Packer, group string, progress func(array string, done, total int64)) error {
	arrays, folders, err := drx.List(d.path(filepath.FromSlash(group)))
	if err != nil {
		return err
	}
	for _, own := range arrays { // Marker begins with a dot, which is before all letters
		if hidden(own) && own != Marker {
			continue
		}
		name := path.Join(group, own)
		count := func(done, total int64) {
			if progress != nil {
				progress(name, done, total)
			}
		}
		if err := d.packArray(ctx, p, name, count); err != nil {
			return err
		}
	}
	for _, own := range folders {
		if hidden(own) {
			continue
		}
		if err := d.packGroup(ctx, p, path.Join(group, own), progress); err != nil {
			return err
		}
	}
	return nil
}

// packArray packs an array. A Marker may already be open in the dataset.
func (d *Dataset) packArray(ctx context.Context, p *drx.Packer, name string, progress func(done, total int64)) error {
	group, own := path.Split(name)
	if m := d.markers[strings.TrimSuffix(group, "/")]; own == Marker && m != nil {
		return p.Add(ctx, name, m, progress)
	}
	file := d.path(filepath.FromSlash(name))
	if there, err := drx.Exists(file); err != nil || !there {
		return err // left by a killed creation
	}
	a, err := drx.Open(file, drx.Options{Write: true, Incomplete: true})
	if err != nil {
		return err
	}
	return errors.Join(p.Add(ctx, name, a, progress), a.Discard())
}

// Unpack creates a dataset from a stream with several arrays: in one file if the name ends in .drx,
// otherwise in a folder. The dataset appears once the whole stream has been read and verified. If
// Unpack fails for another reason than a damaged stream, it leaves a hidden folder, which belongs
// to no dataset. The next Unpack to the same name continues it, see drx.Unpacker.Unpack, and Remove
// removes it. The error is that of Copy for the new name, or that of the drx.Unpacker.
func Unpack(ctx context.Context, u *drx.Unpacker, to string) error {
	if err := checkNew(to); err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	hidden := hiddenName(to, unpacking)
	if err := beginFolder(hidden); err != nil {
		return err // about a file that is in the way there
	}
	first, err := unpackAll(ctx, u, hidden)
	if err == nil {
		err = u.RemoveOthers(hidden)
	}
	if first != nil && drx.IsContainer(hidden) { // which Rename locks
		err = errors.Join(err, first.Discard())
	}
	if err == nil { // the lock of an array keeps others from removing the folder
		err = drx.RenameFolder(hidden, to)
	}
	if first != nil {
		_ = first.Discard() // everything is committed
	}
	if err != nil && errors.Is(err, drx.ErrCorrupt) && !u.Kept() {
		removeErr := drx.RemoveFolder(hidden)
		if errors.Is(removeErr, fs.ErrNotExist) { // the file is removed with its first array
			removeErr = nil
		}
		err = errors.Join(err, removeErr)
	}
	return asNamed(to, err, unpacking)
}

// unpacking is in the name of the hidden folder.
const unpacking = "unpacking"

// beginFolder makes the hidden folder. If the folder exists and belongs to this user, Unpack
// continues it; a folder with files that belong to no array is then an error. One of another user,
// or a file without arrays, is removed first.
func beginFolder(hidden string) error {
	switch own, err := drx.OwnFolder(hidden); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && own && drx.IsContainer(hidden):
		return nil
	case err == nil && own && filepath.Ext(hidden) != fileExt:
		return drx.CheckRemoval(hidden)
	case err == nil:
		if err := drx.RemoveFolder(hidden); err != nil {
			return err
		}
	}
	return drx.MakeFolder(hidden)
}

// unpackAll unpacks all arrays into a folder. It returns the first array open for writing, or nil
// if the stream has none.
func unpackAll(ctx context.Context, u *drx.Unpacker, folder string) (first *drx.Array, err error) {
	for {
		name, err := u.Next()
		if errors.Is(err, io.EOF) {
			return first, nil
		}
		if err == nil {
			err = makeFolders(folder, path.Dir(name))
		}
		if err != nil {
			return first, err
		}
		array := filepath.Join(folder, filepath.FromSlash(name))
		if err := u.UnpackAgain(ctx, array); err != nil {
			return first, err
		}
		if first != nil {
			continue
		}
		if first, err = drx.Open(array, drx.Options{Write: true, Incomplete: true}); err != nil {
			return nil, err
		}
	}
}

// makeFolders makes the folders of a group.
func makeFolders(folder, group string) error {
	if group == "." {
		return nil
	}
	for name := range strings.SplitSeq(group, "/") {
		folder = filepath.Join(folder, name)
		if err := makeFolder(folder); err != nil {
			return err
		}
	}
	return nil
}
