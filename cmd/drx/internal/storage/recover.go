package storage

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/progress"
)

// NewRecover returns the verb recover.
func NewRecover() *cobra.Command {
	var o drx.RecoverOptions
	var inPlace bool
	cmd := &cobra.Command{
		Use:     "recover SRC (DST | --in-place)",
		Short:   "Salvage the intact parts of a damaged array",
		GroupID: cli.GroupStorage,
		Long: `Create a new array DST from the intact parts of SRC: its history up to the first damaged line
of SRC.xmd, and every chunk that matches its checksum. SRC.xta, SRC.xck or SRC.xpm may be
missing. SRC is not changed. Lost chunks read as the fill value in DST.

SRC may also be an array in one file, or in a file with several, that was cut short, to which
something was appended, or of which a part of the header or of the directory is damaged.
Appended bytes are ignored: recover reports them, and exits with 0 if nothing else is wrong.
Only if the file has a length that it could have had before, a multiple of 4096 bytes, they
count as lost, because they may be data.

If lines at the end of the log are lost, if the journal of a commit in the log is damaged, or
if SRC.xpm is missing, verbs that write refuse the array, because they would overwrite data
that can still be saved. --in-place accepts the loss instead of making a copy: the array
becomes what its log says, and everything that lost commits added is gone. It does not mend
a file that was cut short or whose header is damaged: copy what is left to DST.

The exit code is 0 if nothing was lost. Otherwise it is 1, and there is one line for each lost
chunk with its index and the section of its elements. If chunks were lost and none
could be saved, DST is removed again.

A chunk whose checksum is lost, as all are without SRC.xck, may be intact or not; it counts as
lost. --accept-unchecked takes such chunks as they are.`,
		Example: `  drx recover radar radar2
  drx recover radar radar3 --accept-unchecked --json
  drx recover radar --in-place`,
		Args:              recoverArgs(&inPlace),
		ValidArgsFunction: cli.CompleteOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if inPlace {
				if err := drx.AcceptLoss(cmd.Context(), args[0]); err != nil {
					return err
				}
				name := drx.BaseName(args[0])
				return cli.Confirm(cmd, cli.NameResult{Name: name}, "%s: now is as its log says, and can be written\n", cli.Printable(name))
			}
			p := &progress.Progress{}
			o.Progress = func(done, total int64) {
				if done == 1 {
					p = progress.NewCount(cmd, total)
				}
				p.Add(1)
			}
			report, err := drx.Recover(cmd.Context(), args[0], args[1], o)
			p.End()
			if err == nil && useless(report) {
				err = drx.Remove(args[1])
			}
			if err != nil {
				return err
			}
			return printRecovery(cmd.OutOrStdout(), drx.BaseName(args[0]), drx.BaseName(args[1]), report, cli.WantsJSON(cmd))
		},
	}
	cmd.Flags().BoolVar(&o.AcceptUnchecked, "accept-unchecked", false, "also take chunks whose checksum is lost")
	cmd.Flags().BoolVar(&inPlace, "in-place", false, "accept the loss, rather than copy to DST")
	return cmd
}

// recoverArgs checks the arguments: SRC DST, or only SRC with --in-place.
func recoverArgs(inPlace *bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if *inPlace && len(args) > 1 {
			return cli.Usagef("recover: --in-place takes no DST; see 'drx recover --help'")
		}
		if *inPlace {
			return cli.Exactly("SRC")(cmd, args)
		}
		return cli.Exactly("SRC", "DST")(cmd, args)
	}
}

// useless reports whether a recovered array has the fill value everywhere, although chunks were
// written.
func useless(r drx.RecoverReport) bool { return r.Saved == 0 && len(r.Lost) > 0 }

// printRecovery prints what was saved of src and what was lost. It returns an error if something
// was lost.
func printRecovery(w io.Writer, src, dst string, r drx.RecoverReport, asJSON bool) error {
	print := printRecoveryText
	if asJSON {
		print = PrintRecoveryJSON
	}
	if err := print(w, dst, r); err != nil || r.Complete() {
		return err
	}
	saved := "everything else is in " + dst
	if useless(r) {
		saved = "nothing could be saved"
	}
	if r.Uncheckable > 0 {
		saved += "; try --accept-unchecked"
	}
	return fmt.Errorf("%s is damaged: %s; %s", src, losses(r), saved)
}

// losses describes in one line the data that a damaged array has lost.
func losses(r drx.RecoverReport) string {
	var all []string
	add := func(n int64, one, several string) {
		switch {
		case n == 1:
			all = append(all, one)
		case n > 1:
			all = append(all, fmt.Sprintf(several, n))
		}
	}
	add(r.LostBytes, "1 byte of the file is lost", "%d bytes of the file are lost")
	add(int64(r.LostRecords), "a part of the header or of the directory is lost", "%d parts of the header or of the directory are lost")
	add(int64(len(r.Lost)), "1 chunk is lost", "%d chunks are lost")
	add(r.LostEntries, "1 entry of the chunk table is lost", "%d entries of the chunk table are lost")
	add(r.Beyond, "1 chunk of a lost extension is lost", "%d chunks of lost extensions are lost")
	add(int64(r.LostLines)+r.MissingLines, "1 line of the log is lost", "%d lines of the log are lost")
	add(int64(len(r.Missing)), "1 file is missing", "%d files are missing")
	if r.Stale > 0 || r.JournalDamage != "" {
		all = append(all, "the changes in the journal are lost")
	}
	return strings.Join(all, ", ")
}

// PrintRecoveryJSON prints what was recovered to an array as JSON.
func PrintRecoveryJSON(w io.Writer, name string, r drx.RecoverReport) error {
	return cli.PrintJSON(w, struct {
		Name string `json:"name"`
		drx.RecoverReport
	}{name, r})
}

func printRecoveryText(w io.Writer, name string, r drx.RecoverReport) error {
	var all error
	line := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		all = errors.Join(all, err)
	}
	if r.FileDamage != "" {
		line("%s", cli.OneLine(errors.New(r.FileDamage)))
	}
	for _, l := range r.Lost {
		line("chunk %d [%s] elements %s: %s", l.Number, cli.FormatInts(l.ChunkIndex), l.Section, cli.OneLine(l.Err))
	}
	for _, file := range r.Missing {
		line("%s is missing", cli.Printable(file))
	}
	if r.LostLines > 0 {
		line("%d lines of the log are lost: %s", r.LostLines, cli.OneLine(errors.New(r.LogDamage)))
	}
	if r.MissingLines > 0 {
		line("at least %d lines at the end of the log are missing: the bounds and attributes that they set are unknown", r.MissingLines)
	}
	if r.Stale > 0 {
		line("the journal of the last commit is damaged: some of the %d chunks that it changed are as they were before, but which ones is unknown", r.Stale)
	}
	if r.LostEntries > 0 {
		line("%d entries of the chunk table are lost, which the last commit has written", r.LostEntries)
	}
	if r.JournalDamage != "" {
		line("the changes in the journal are lost: %s", cli.OneLine(errors.New(r.JournalDamage)))
	}
	if r.Beyond > 0 {
		line("%d chunks belong to extensions that are lost", r.Beyond)
	}
	line("%s: %d chunks saved, %d of them unchecked, %d lost", cli.Printable(name), r.Saved, r.Unchecked, len(r.Lost))
	if useless(r) {
		line("%s is not kept: it would have the fill value everywhere", cli.Printable(name))
	}
	if r.Uncheckable > 0 {
		again := ""
		if !useless(r) {
			again = fmt.Sprintf("; to try that, remove %s first", cli.Printable(name))
		}
		line("of %d lost chunks only the checksum is lost: --accept-unchecked takes them as they are%s", r.Uncheckable, again)
	}
	return all
}
