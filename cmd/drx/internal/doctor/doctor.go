// Package doctor implements the verb doctor, which tests whether a file system keeps arrays safe
// that several processes, mounts or hosts use.
package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/internal/vfs"
)

// A Report is what doctor prints.
type Report struct {
	Path    string  `json:"path"`
	Other   string  `json:"other"` // the same folder for the second process
	System  string  `json:"system"`
	Checks  []Check `json:"checks"`
	Locks   string  `json:"locks"` // what writers use by default: "system" or "file"
	Writers bool    `json:"writers"`
	Sharing bool    `json:"sharing"`
	Readers bool    `json:"readers"`
	Advice  string  `json:"advice"`
}

// errUnsafe is the error of a folder where something is not safe, after the report said what.
var errUnsafe = errors.New("arrays are not safe in this folder when several processes use them")

// options are the flags.
type options struct {
	other, answer string
	otherHost     bool
}

// New returns the verb doctor.
func New() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "doctor FOLDER|ARRAY [--other FOLDER | --other-host]",
		Short:   "Check whether several processes can use arrays in a folder",
		GroupID: cli.GroupInspect,
		Long: `Try, with a second process, what the file system of a folder does: whether locks keep others
out, whether others see changes, also of the length and where a file is mapped, whether a file
that is renamed replaces another one, whether holes take space, and how long a sync takes. Then
it says what is safe: one writer at a time, several processes that share an array, and readers
beside a writer.

--other gives the same folder as another mount has it. With --other-host the second process runs
on another host, by a command that is printed. The checks make a folder with some small files,
and remove it. The exit code is 1 if writers or readers are not safe.`,
		Example: `  drx doctor .
  drx doctor /mnt/a --other /mnt/b
  drx doctor /net/data --other-host --json`,
		Args:              cli.Exactly("FOLDER|ARRAY"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.other, "other", "", "the same `folder` through another mount")
	f.BoolVar(&o.otherHost, "other-host", false, "wait for the second process on another host")
	f.StringVar(&o.answer, "answer", "", "be the second process")
	_ = f.MarkHidden("answer") // it is there
	return cmd
}

func (o *options) run(cmd *cobra.Command, folder string) error {
	switch {
	case o.answer == "-":
		return answerByPipe(folder, cmd.InOrStdin(), cmd.OutOrStdout())
	case o.answer != "":
		return answerByFiles(filepath.Join(folder, filepath.Base(o.answer)))
	case o.otherHost && o.other != "":
		return cli.Usagef("doctor: --other and --other-host exclude each other: the command for the other host has its folder")
	}
	if is, err := drx.Exists(folder); is && err == nil {
		folder = filepath.Dir(folder)
	}
	if info, err := os.Stat(folder); err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%s: not a folder: give the one that has the array", folder)
	}
	r, err := o.examine(cmd, folder)
	if err != nil {
		return err
	}
	if cli.WantsJSON(cmd) {
		err = cli.PrintJSON(cmd.OutOrStdout(), r)
	} else {
		err = r.print(cmd.OutOrStdout())
	}
	if err == nil && !(r.Writers && r.Readers) {
		err = fmt.Errorf("%s: %w", folder, errUnsafe)
	}
	return err
}

// examine makes the checks in a new folder, which it removes.
func (o *options) examine(cmd *cobra.Command, folder string) (r Report, err error) {
	own, err := os.MkdirTemp(folder, "drx-doctor-")
	if err != nil {
		return r, fmt.Errorf("%s: the checks need a folder in it: %w", folder, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(own)) }()
	r = Report{Path: folder, Other: folder}
	var p peer
	if o.otherHost {
		r.Other = "another host"
		_, err = fmt.Fprintf(cmd.ErrOrStderr(), "run this on the other host, with the name that the folder has there:\n  drx doctor FOLDER --answer %s\n", filepath.Base(own))
		p = &filePeer{folder: own, within: patience}
	} else {
		r.Other = cmp.Or(o.other, folder)
		seen := filepath.Join(r.Other, filepath.Base(own))
		if err := awaitFolder(seen, appearsIn); err != nil {
			return r, cli.Usagef("doctor: %s is not %s through another mount: it does not show the folder that was made there: %v", r.Other, folder, err)
		}
		p, err = startPeer(seen)
	}
	if err != nil {
		return r, err
	}
	defer p.close()
	t := &tester{folder: own, peer: p}
	f, err := t.create("system")
	if err != nil {
		return r, err
	}
	s := vfs.SystemOf(f)
	if err := f.Close(); err != nil {
		return r, err
	}
	r.conclude(s, t)
	return r, nil
}

// appearsIn is how long another mount may take to show a new name.
const appearsIn = 3 * time.Second

// awaitFolder waits until another mount shows a folder.
func awaitFolder(name string, within time.Duration) error {
	for end := time.Now().Add(within); ; time.Sleep(pollEvery) {
		_, err := os.Stat(name)
		_, parent := os.Stat(filepath.Dir(name))
		if err == nil || parent != nil || time.Now().After(end) {
			if parent != nil {
				return parent
			}
			return err
		}
	}
}

// conclude makes the checks and says what they mean for arrays.
func (r *Report) conclude(s vfs.System, t *tester) {
	r.System, r.Locks = s.Name, "system"
	if s.LocalLocks {
		r.Locks = "file"
	}
	locks := t.locks()
	exclusive := t.exclusive()
	coherent, fresh := t.contents()
	renames, syncs := t.renames(), t.syncs()
	t.holes()
	r.Checks = t.checks
	files := exclusive && fresh && renames && syncs
	r.Readers = coherent && renames || s.StaleCaches && fresh && renames
	r.Writers = r.Readers && syncs && (locks && !s.LocalLocks || s.LocalLocks && files)
	r.Sharing = r.Writers && locks && coherent && !s.LocalLocks
	switch {
	case !s.LocalLocks && !locks && files:
		r.Advice = "locks do not keep others out here, although the kind of the file system suggests it: give --locks file to all programs that write"
	case !r.Readers:
		r.Advice = "others see old data, so that only one mount may use the arrays while one writes; mount it without caching, or copy the arrays"
	case !r.Writers:
		r.Advice = "write on one machine and through one mount only, and see to it that one process writes at a time"
	case s.LocalLocks && locks && coherent:
		r.Advice = "writers use lock files, as this kind of file system may have local locks; the locks were good in this try: where that holds for all mounts, --locks system allows sharing"
	case s.LocalLocks:
		r.Advice = "writers use lock files: one process writes at a time, and arrays cannot be shared by several (reserve)"
	default:
		r.Advice = "nothing special is needed"
	}
}

// print prints the report for people.
func (r *Report) print(w io.Writer) error {
	name := r.System
	if name == "" {
		name = "a file system of this machine"
	}
	_, err := fmt.Fprintf(w, "%s: %s; the second process uses %s\n", r.Path, name, r.Other)
	for _, c := range r.Checks {
		word := "good"
		if !c.Good {
			word = "NOT "
		}
		_, printErr := fmt.Fprintf(w, "  %s  %-22s %s\n", word, c.Name, c.Detail)
		err = errors.Join(err, printErr)
	}
	yes := map[bool]string{true: "safe", false: "NOT safe"}
	_, printErr := fmt.Fprintf(w, "one writer at a time (locks: %s): %s\nseveral processes that share an array: %s\nreaders beside a writer: %s\n%s\n",
		r.Locks, yes[r.Writers], map[bool]string{true: "safe", false: "no"}[r.Sharing], yes[r.Readers], r.Advice)
	return errors.Join(err, printErr)
}
