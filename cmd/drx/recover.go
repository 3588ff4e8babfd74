package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"drx"
)

func newRecover() *cobra.Command {
	var o drx.RecoverOptions
	var asJSON, inPlace bool
	cmd := &cobra.Command{
		Use:     "recover SRC (DST | --in-place)",
		Short:   "Salvage the intact parts of a damaged array",
		GroupID: groupArray,
		Long: `Make a new array DST from what is good of SRC: its history up to the first damaged line of
SRC.xmd, and every chunk that agrees with its checksum. SRC.xta, SRC.xck or SRC.xpm may be missing.
SRC is not changed. Lost chunks read as the fill value in DST.

If the log has lost lines at its end, the journal is damaged although the log has its commit, or SRC.xpm is
missing, commands that write refuse the array: they would overwrite what can still be saved. --in-place accepts the loss instead of making a copy: the
array is what its log says, and what lost commits wrote beyond that is gone.

The exit code is 0 if nothing was lost; else it is 1, and there is a line for each lost
chunk with its index and its elements.`,
		Example: `  drx recover radar radar2
  drx recover radar radar2 --accept-unchecked --json
  drx recover radar --in-place`,
		Args:              recoverArgs(&inPlace),
		ValidArgsFunction: completeOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if inPlace {
				if err := drx.AcceptLoss(cmd.Context(), args[0]); err != nil {
					return err
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: is what its log says, and can be written\n", shown(drx.BaseName(args[0])))
				return err
			}
			p := &progress{}
			o.Progress = func(done, total int64) {
				if done == 1 {
					p = newCount(cmd, total)
				}
				p.add(1)
			}
			report, err := drx.Recover(cmd.Context(), args[0], args[1], o)
			p.end()
			if err != nil {
				return err
			}
			return printRecovery(cmd.OutOrStdout(), drx.BaseName(args[1]), report, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	cmd.Flags().BoolVar(&o.AcceptUnchecked, "accept-unchecked", false, "take chunks too that have no checksum to compare with")
	cmd.Flags().BoolVar(&inPlace, "in-place", false, "accept that the end of the log is lost, rather than copy to DST")
	return cmd
}

// recoverArgs checks the arguments: there is no DST with --in-place.
func recoverArgs(inPlace *bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if *inPlace {
			return exactly("SRC")(cmd, args)
		}
		return exactly("SRC", "DST")(cmd, args)
	}
}

// printRecovery prints what was saved and lost; its error says that something was lost.
func printRecovery(w io.Writer, name string, r drx.RecoverReport, asJSON bool) error {
	print := printRecoveryText
	if asJSON {
		print = func(w io.Writer, _ string, r drx.RecoverReport) error { return printJSON(w, r) }
	}
	if err := print(w, name, r); err != nil || r.Complete() {
		return err
	}
	return fmt.Errorf("%s: lost %d chunks, %d beyond the history, %d lines of the log, %d files missing: %w",
		name, len(r.Lost), r.Beyond, int64(r.LostLines)+r.MissingLines, len(r.Missing), drx.ErrCorrupt)
}

func printRecoveryText(w io.Writer, name string, r drx.RecoverReport) error {
	var all error
	line := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		all = errors.Join(all, err)
	}
	for _, l := range r.Lost {
		line("chunk %d [%s] elements %s: %s", l.Number, joinInts(l.ChunkIndex), l.Section, oneLine(l.Err))
	}
	for _, file := range r.Missing {
		line("%s is missing", shown(file))
	}
	if r.LostLines > 0 {
		line("%d lines of the log are lost: %s", r.LostLines, oneLine(errors.New(r.LogDamage)))
	}
	if r.MissingLines > 0 {
		line("the log ends %d lines too early, or more: which bounds and attributes they set cannot be told", r.MissingLines)
	}
	if r.Stale > 0 {
		line("the journal of the last commit is damaged: of %d chunks that it changed some are as they were before, which ones cannot be told", r.Stale)
	}
	if r.JournalDamage != "" {
		line("what the journal has is lost: %s", oneLine(errors.New(r.JournalDamage)))
	}
	if r.Beyond > 0 {
		line("%d chunks belong to expansions that are lost", r.Beyond)
	}
	line("%s: %d chunks saved, %d of them unchecked, %d lost", shown(name), r.Saved, r.Unchecked, len(r.Lost))
	return all
}
