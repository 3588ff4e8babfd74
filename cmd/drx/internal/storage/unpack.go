package storage

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/interrupt"
	"drx/cmd/drx/internal/progress"
	"drx/dataset"
	"drx/internal/errkind"
	"drx/internal/wording"
)

// NewUnpack returns the verb unpack.
func NewUnpack() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "unpack [FILE | -] TARGET",
		Short:   "Make an array or a dataset from a packed stream",
		GroupID: cli.GroupArray,
		Long: `Make the array or the dataset that drx pack has packed, from a file or from standard input, with
the name TARGET, or in TARGET by its own name if that is a folder. It is in one file if its name
ends in .drx, and in several files, or in a folder, if not. Holes are holes again, and the chunks,
the history and the attributes are those of before.

All of the stream is verified. One that was changed is refused, with the place, and nothing is made:
the array or the dataset is there when the end of the stream was read. No file is replaced: it is an
error if there is something of that name. Names in the stream cannot leave TARGET.

After an interruption, a stream that was cut or a full disk the same command, with the whole stream,
goes on: what is there already is compared with the stream and not written again, and the result
says how much that was. Until then it is kept beside the target, in files that are no array, which
drx rm TARGET removes.`,
		Example: `  drx unpack radar.pack radar
  drx unpack radar.pack radar-2024.drx
  ssh archive cat weather.pack | drx unpack weather`,
		Args: oneOrTwo("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, target := standard, args[0]
			if len(args) == 2 {
				file, target = args[0], args[1]
			}
			to, resumed, err := unpack(cmd, file, target)
			if err != nil {
				return err
			}
			noteHoles(cmd, to)
			if resumed > 0 {
				cli.NoteOf(cmd, to, fmt.Sprintf("%s of it were there already, from an interrupted unpack, and not written again", wording.Bytes(resumed)))
			}
			return cli.PrintResult(cmd, resumedResult{cli.NameResult{Name: drx.BaseName(to), From: file}, resumed}, "")
		},
	}
	return cmd
}

// A resumedResult is what drx pack and unpack print as JSON.
type resumedResult struct {
	cli.NameResult
	Resumed int64 `json:"resumed"` // bytes that were there already
}

// unpack makes the array or the dataset that is in a stream. It returns its name, and the number of
// its bytes that an interrupted unpack had already made.
func unpack(cmd *cobra.Command, file, target string) (to string, resumed int64, err error) {
	in, size := cmd.InOrStdin(), int64(0)
	if file != standard {
		f, err := os.Open(file)
		if err != nil {
			return "", 0, err
		}
		defer f.Close()
		in = f
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
	}
	p := progress.New(cmd, size)
	defer p.End()
	u, err := drx.NewUnpacker(&countedReader{in, p})
	if err == nil {
		to, err = unpackTo(cmd, u, target)
	}
	if err != nil {
		return "", 0, errkind.Naming(streamName(file), err)
	}
	return to, u.Resumed(), nil
}

// unpackTo makes the array or the dataset that is in a stream.
func unpackTo(cmd *cobra.Command, u *drx.Unpacker, target string) (to string, err error) {
	name, several := u.Name()
	// If this dataset was unpacked before, a second one must not become a group of the first.
	if several && arrays.IsDataset(target) {
		return "", errkind.Errorf(fs.ErrExist, "unpack: %s exists: choose another name, or remove it first", cli.Printable(filepath.Clean(target)))
	}
	if to, err = newName(cmd, name, target); err != nil {
		return "", err
	}
	if several {
		if err := datasets.CheckNoArray(to); err != nil {
			return "", err
		}
		return filepath.Clean(to), withKept(u, to, dataset.Unpack(cmd.Context(), u, to))
	}
	if err := datasets.CheckOtherKind(to); err != nil {
		return "", err
	}
	if _, err := u.Next(); err != nil {
		return "", err
	}
	return to, withKept(u, to, u.Unpack(cmd.Context(), to))
}

// withKept adds to an error what an unpack has left behind, and how to continue or remove it.
func withKept(u *drx.Unpacker, to string, err error) error {
	if err == nil || !u.Kept() {
		return err
	}
	return interrupt.WithKept(err, fmt.Sprintf("what was unpacked is kept: the same command with the whole stream goes on, 'drx rm %s' removes it", cli.Printable(drx.BaseName(to))))
}

// streamName returns the name of a stream for a message.
func streamName(file string) string {
	if file == standard {
		return "standard input"
	}
	return cli.Printable(file)
}

// A countedReader adds the bytes read to a progress.
type countedReader struct {
	io.Reader
	progress *progress.Progress
}

func (r *countedReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.progress.Add(n)
	return n, err
}
