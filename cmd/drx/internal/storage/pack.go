package storage

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/interrupt"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/progress"
	"drx/dataset"
	"drx/internal/wording"
)

// standard is the name of the standard input or output on the command line.
const standard = "-"

// NewPack returns the verb pack.
func NewPack() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "pack ARRAY | DATASET [FILE | -]",
		Short:   "Pack an array or a dataset into one stream",
		GroupID: cli.GroupArray,
		Long: `Write all files of an array, of a dataset or of a file with several arrays as one stream, to a
file or to standard output: only the bytes that are stored, without the holes, so that scp, rsync, a
tape or an object store takes what the array takes on disk. Every piece has a checksum, which covers
all before it, and the end says how much there was: drx unpack notices what has changed or is
missing, and then makes nothing.

As with cp, the stream has the last commit, what a writer that died has left is completed first, and
an array that another process has open for writing is not packed. Programs that are reading it can
continue. FILE is replaced when the new one is complete; after an error or an interruption it is as
before. Chunks are packed as they are stored, damaged ones too, see verify.

After an interruption or a full disk the same command goes on: what is there of FILE already is
compared with what the array has now, and not written again as far as it is the same; the result
says how much that was, and a note if the array has changed. Until then it is kept beside FILE, in
a hidden file, which drx rm FILE removes.`,
		Example: `  drx pack radar radar.pack
  drx pack weather | ssh archive 'cat > weather.pack'
  drx pack radar | ssh archive drx unpack radar`,
		Args:              oneOrTwo("ARRAY"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			file := append(args, standard)[1]
			if err := cli.CheckNotJSON(cmd, file == standard, "packing to standard output"); err != nil {
				return err
			}
			if err := checkPackFile(cmd, file); err != nil {
				return err
			}
			if file == standard {
				return pack(cmd, args[0], cmd.OutOrStdout())
			}
			return packToFile(cmd, args[0], file)
		},
	}
	cli.AddWaitFlag(cmd)
	return cmd
}

// packToFile packs an array or a dataset to a file, or goes on with what an interrupted pack has
// left.
func packToFile(cmd *cobra.Command, from, file string) error {
	r, err := outfile.Resume(file, func(w io.Writer) error { return pack(cmd, from, w) })
	if err != nil && r.Kept {
		return interrupt.WithKept(err, fmt.Sprintf("what was packed is kept: the same command goes on, 'drx rm %s' removes it", cli.Printable(file)))
	}
	if err != nil {
		return err
	}
	switch {
	case r.Same < r.Left:
		cli.NoteOf(cmd, file, fmt.Sprintf("of %s that an interrupted pack had left %s were the same and not written again: since then the array, or what was left, has changed",
			wording.Bytes(r.Left), wording.Bytes(r.Same)))
	case r.Same > 0:
		cli.NoteOf(cmd, file, fmt.Sprintf("%s of it were there already, from an interrupted pack, and not written again", wording.Bytes(r.Same)))
	}
	return cli.PrintResult(cmd, resumedResult{cli.NameResult{Name: file, From: filepath.Clean(drx.BaseName(from))}, r.Same}, "")
}

// oneOrTwo accepts one argument or two.
func oneOrTwo(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 2 {
			return nil
		}
		return cli.Exactly(name)(cmd, args)
	}
}

// checkPackFile returns a usage error if the stream would go to a terminal or replace an array.
func checkPackFile(cmd *cobra.Command, file string) error {
	if file == standard {
		if cli.IsTerminal(cmd.OutOrStdout()) {
			return cli.Usagef("pack: the stream would go to the terminal: name a file, or another program behind a |")
		}
		return nil
	}
	is := drx.IsContainer(file)
	if !is && (drx.BaseName(file) != file || filepath.Ext(file) == drx.OneFileExt) {
		var err error
		if is, err = drx.Exists(file); err != nil {
			return err
		}
	}
	if is {
		return cli.Usagef("pack: %s is an array, which is not replaced by a stream: name another file", cli.Printable(file))
	}
	return nil
}

// pack writes an array or a dataset to a stream. With --wait it waits for the lock; the stream is
// still empty then, so that the attempt can be repeated.
func pack(cmd *cobra.Command, from string, w io.Writer) error {
	var bar copyBar
	defer bar.end()
	if arrays.IsDataset(from) {
		if err := datasets.CheckDeclared(from, "tar -S"); err != nil {
			return err
		}
		name := filepath.Base(absolute(from))
		return arrays.WaitForLock(cmd, from, func() error {
			return dataset.Pack(cmd.Context(), from, name, w, func(array string, done, total int64) { bar.show(cmd, array, done, total) })
		})
	}
	name := filepath.Base(absolute(ownName(from)))
	return arrays.WaitForLock(cmd, from, func() error {
		return drx.Pack(cmd.Context(), from, name, w, func(done, total int64) { bar.show(cmd, name, done, total) })
	})
}

// absolute returns the absolute name of a file, because "." and ".." have no last element by which
// to call the array.
func absolute(name string) string {
	if full, err := filepath.Abs(name); err == nil {
		return full
	}
	return name
}

// A copyBar shows the progress of copying arrays, with a new bar for each.
type copyBar struct {
	progress *progress.Progress
	name     string
	shown    int64
}

func (b *copyBar) show(cmd *cobra.Command, name string, done, total int64) {
	if b.progress == nil || name != b.name {
		b.end()
		b.progress, b.name, b.shown = progress.New(cmd, total), name, 0
	}
	b.progress.Add(int(done - b.shown))
	b.shown = done
}

func (b *copyBar) end() {
	if b.progress != nil {
		b.progress.End()
	}
}
