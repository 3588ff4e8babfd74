package cli

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"drx/formats"
	"drx/internal/fileset"
)

// A Completer returns the possible next words of a command line.
type Completer = func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective)

// CompleteArrays completes the name of an array, then names of files.
func CompleteArrays(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	names := arrayNames(prefix)
	if len(names) == 1 && strings.HasSuffix(names[0], "/") { // the name goes on
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// arrayNames returns the names of the arrays that begin with prefix, without the extensions of
// their files, and of the folders, which may have others, with a slash.
func arrayNames(prefix string) (names []string) {
	dir, own := filepath.Split(prefix)
	entries, err := os.ReadDir(filepath.Clean(cmp.Or(dir, ".")))
	if err != nil {
		return nil // the verb says why
	}
	for _, e := range entries {
		name := e.Name()
		isFolder := e.IsDir()
		if link, err := os.Stat(dir + name); e.Type()&fs.ModeSymlink != 0 && err == nil {
			isFolder = link.IsDir()
		}
		switch {
		case !strings.HasPrefix(name, own) || strings.HasPrefix(name, ".") && own == "":
			continue
		case isFolder:
			names = append(names, dir+name+"/")
		case filepath.Ext(name) == fileset.LogExt:
			names = append(names, dir+strings.TrimSuffix(name, fileset.LogExt))
		case filepath.Ext(name) == fileset.OneFileExt:
			names = append(names, dir+name)
		}
	}
	return names
}

// CompleteOnlyArray completes the name of one array.
func CompleteOnlyArray(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return CompleteArrays(cmd, args, prefix)
}

// CompleteInputs completes the name of an array, then names of files in a format that drx reads,
// itself or by drx-bridge, and of folders, which some formats are.
func CompleteInputs(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return CompleteArrays(cmd, args, prefix)
	}
	var extensions []string
	for _, f := range formats.Formats() {
		if f.Open == nil {
			continue
		}
		for _, ext := range f.Extensions {
			extensions = append(extensions, strings.TrimPrefix(ext, "."))
		}
	}
	return extensions, cobra.ShellCompDirectiveFilterFileExt
}

// CompleteFlag sets the completer for the value of a flag. Cobra returns an error only if the flag
// does not exist; then there is nothing to complete.
func CompleteFlag(cmd *cobra.Command, flag string, f Completer) {
	_ = cmd.RegisterFlagCompletionFunc(flag, f)
}
