package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/dataset"
	"drx/internal/errkind"
	"drx/internal/fileset"
)

// NewLs returns the verb ls.
func NewLs() *cobra.Command {
	return &cobra.Command{
		Use:     "ls [FOLDER...]",
		Short:   "List arrays with their sizes",
		GroupID: cli.GroupFirst,
		Long: `List the arrays in folders and all their subfolders, by default in the current folder: element
type, shape, size if all chunks were written, size on disk; of compressed arrays also the codec, and
how much shorter the written chunks are. Of datasets it lists the dimensions.
A file with several arrays is such a folder, too.
An array that cannot be opened is listed with the reason, and a hidden folder in which a copy or an
unpack that was interrupted, or still runs, makes a dataset with the name of that.`,
		Example: `  drx ls
  drx ls data --json`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			found := []listing{}
			for _, name := range args {
				err := findArrays(cmd.Context(), name, func(l listing) { found = append(found, l) })
				if err != nil {
					return err
				}
			}
			if cli.WantsJSON(cmd) {
				return cli.PrintJSON(cmd.OutOrStdout(), found)
			}
			return printTree(cmd.OutOrStdout(), found)
		},
	}
}

// listing is a line of ls: an array, a dataset or a group of one, or a folder that cannot be read.
type listing struct {
	Name  string `json:"name"`
	DType string `json:"dtype,omitempty"`
	Shape []int  `json:"shape,omitempty"`
	// Dimensions are the extents of a dataset.
	Dimensions map[string]int `json:"dimensions,omitempty"`
	Codec      string         `json:"codec,omitempty"` // left out if chunks are not compressed
	Logical    int64          `json:"bytes_logical"`
	Written    int64          `json:"bytes_written,omitempty"` // only if compressed
	Stored     int64          `json:"bytes_stored,omitempty"`  // after compression
	OnDisk     int64          `json:"bytes_on_disk"`
	Log        int64          `json:"bytes_log"`
	Table      int64          `json:"bytes_table"`
	Journal    int64          `json:"bytes_journal"`
	Error      string         `json:"error,omitempty"`
}

// bytes returns the bytes of all files.
func (l listing) bytes() int64 { return l.OnDisk + l.Log + l.Table + l.Journal }

// findArrays calls found for each array in a folder and its subfolders, or for the one array of
// that name. It returns an error if there is neither, or if ctx is cancelled.
func findArrays(ctx context.Context, name string, found func(listing)) error {
	if drx.IsContainer(filepath.Clean(name)) {
		return findInFile(ctx, filepath.Clean(name), found)
	}
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		array := drx.BaseName(name)
		if found, err := fileset.Resolve(fileset.OS(), array); err == nil && array == name {
			array = found
		}
		if _, inFile := fileset.Container(fileset.OS(), array); inFile {
			return findMember(ctx, array, found)
		}
		log := fileset.Log(array)
		if _, logErr := os.Stat(log); logErr != nil && err == nil {
			return fmt.Errorf("%s is a file, neither a folder nor an array", name)
		} else if logErr != nil {
			return errkind.Errorf(fs.ErrNotExist, "%s: neither a folder nor an array", name)
		}
		found(listArray(log))
		return nil
	}
	return filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			found(listing{Name: path, Error: cli.OneLine(err)})
		case path != name && isLeft(path, entry.IsDir()):
			found(listLeft(path))
			if entry.IsDir() {
				return filepath.SkipDir
			}
		case filepath.Base(path) == fileset.Log(dataset.Marker) && !entry.IsDir():
			found(listDataset(path))
		case !entry.IsDir() && drx.IsContainer(path):
			return findInFile(ctx, path, found)
		case (filepath.Ext(path) == fileset.LogExt || fileset.OneFile(path)) && !entry.IsDir():
			found(listArray(path))
		}
		return nil
	})
}

// isLeft reports whether a folder or file is hidden and has what an interrupted or running
// operation on a dataset, such as a copy, has made.
func isLeft(path string, folder bool) bool {
	of, _ := dataset.LeftOf(path)
	return of != "" && (folder || drx.IsContainer(path))
}

// listLeft returns the line of such a folder, without what is in it.
func listLeft(path string) listing {
	of, is := dataset.LeftOf(path)
	own := cli.Printable(of)
	return listing{Name: path, Error: fmt.Sprintf("%s %s; 'drx rm %s' removes what is left", own, is, own)}
}

// findInFile calls found for each array and group in a file with several arrays, or in a group of
// one.
func findInFile(ctx context.Context, folder string, found func(listing)) error {
	arrays, folders, err := drx.List(folder)
	if err != nil {
		found(listing{Name: folder, Error: cli.OneLine(err)})
		return nil
	}
	for _, name := range arrays {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		path := filepath.Join(folder, name)
		if name == dataset.Marker {
			found(listDataset(path))
		} else {
			found(listArray(path))
		}
	}
	for _, name := range folders {
		if err := findInFile(ctx, filepath.Join(folder, name), found); err != nil {
			return err
		}
	}
	return nil
}

// findMember calls found for one of several arrays in a file, or for those in a group there.
func findMember(ctx context.Context, name string, found func(listing)) error {
	name = fileset.ShownName(fileset.OS(), name)
	if _, _, err := drx.List(name); err == nil {
		return findInFile(ctx, name, found)
	}
	if ok, err := drx.Exists(name); err != nil || !ok {
		return errors.Join(err, errkind.Errorf(fs.ErrNotExist, "%s: neither a folder nor an array", name))
	}
	found(listArray(name))
	return nil
}

// listArray opens an array and returns its line.
func listArray(log string) listing {
	l := listing{Name: drx.BaseName(log)}
	err := arrays.With(log, false, func(a *drx.Array) error {
		l.DType, l.Shape = a.DType().String(), a.Shape()
		u, err := a.Usage()
		if c := a.Layout().Codec; c != "none" {
			l.Codec, l.Written, l.Stored = c, u.WrittenBytes, u.StoredBytes
		}
		l.Logical, l.OnDisk, l.Log, l.Table, l.Journal = u.LogicalBytes, u.DataBytes, u.LogBytes, u.TableBytes, u.JournalBytes
		return err
	})
	if err != nil {
		l.Error = strings.TrimPrefix(cli.OneLine(err), l.Name+": ")
	}
	return l
}

// listDataset returns the line of a dataset or a group, which has the bytes of its attributes.
func listDataset(log string) listing {
	l := listArray(log)
	l.Name, l.DType, l.Shape, l.Dimensions = filepath.Dir(log), "", nil, map[string]int{}
	if l.Error != "" {
		return l
	}
	err := arrays.WithDataset(l.Name, func(d *dataset.Dataset) error {
		for _, dim := range d.Dims() {
			l.Dimensions[dim.Name] = dim.Bounds.Len()
		}
		return nil
	})
	if err != nil {
		l.Error = cli.OneLine(err)
	}
	return l
}

// printTree prints the arrays as a tree of folders, and the totals.
func printTree(out io.Writer, found []listing) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	heading := "array\tdtype\tshape\tlogical\ton disk"
	if slices.ContainsFunc(found, func(l listing) bool { return l.Codec != "" }) {
		heading += "\tcodec"
	}
	fmt.Fprintln(w, heading)
	var above []string // the folders of the line printed last
	var logical, onDisk int64
	damaged, datasets := 0, 0
	for _, l := range found {
		folder := filepath.Dir(l.Name)
		if l.Dimensions != nil {
			folder = l.Name
		}
		folders := strings.Split(filepath.ToSlash(folder), "/")
		if folder == "." && l.Dimensions == nil {
			folders = nil // the present folder needs no heading
		}
		for i, folder := range folders {
			if i < len(above) && above[i] == folder {
				continue
			}
			above = nil
			about := "\t\t\t"
			if l.Dimensions != nil && i == len(folders)-1 {
				about = fmt.Sprintf("dataset\t%s\t\t", formatExtents(l.Dimensions))
			}
			fmt.Fprintf(w, "%s%s/\t%s\n", strings.Repeat("  ", i), cli.Printable(folder), about)
		}
		above = folders
		if l.Dimensions != nil && l.Error == "" {
			datasets++
			onDisk += l.bytes()
			continue
		}
		name := strings.Repeat("  ", len(folders)) + cli.Printable(filepath.Base(l.Name))
		if l.Error != "" {
			damaged++
			fmt.Fprintf(w, "%s\t\t\t\t%s\n", name, l.Error)
			continue
		}
		logical += l.Logical
		onDisk += l.bytes()
		line := []string{name, l.DType, cli.FormatShape(l.Shape), cli.ByteSize(l.Logical), cli.ByteSize(l.bytes())}
		if l.Codec != "" {
			line = append(line, l.Codec+ratio(l.Written, l.Stored))
		}
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	total := fmt.Sprintf("total %d: %s logical, %s on disk", len(found)-damaged-datasets, cli.ByteSize(logical), cli.ByteSize(onDisk))
	if damaged > 0 {
		total += fmt.Sprintf("; %d cannot be read", damaged)
	}
	_, err := fmt.Fprintln(out, total)
	return err
}

// formatExtents formats dimensions for people: time 24, x 50.
func formatExtents(dims map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(dims)) {
		parts = append(parts, fmt.Sprintf("%s %d", cli.Printable(name), dims[name]))
	}
	return strings.Join(parts, ", ")
}
