package cli

import "github.com/spf13/cobra"

// AddTypeFlags adds --as and --clip of an import or an export. where names in their help what has
// the new element type.
func AddTypeFlags(cmd *cobra.Command, as *string, clip *bool, where string) {
	f := cmd.Flags()
	f.Var(typeFlag{as}, "as", "element `type` in the "+where)
	f.BoolVar(clip, "clip", false, "replace values that do not fit --as by the nearest that do")
	CompleteFlag(cmd, "as", cobra.FixedCompletions(DtypeNames(), cobra.ShellCompDirectiveNoFileComp))
}
