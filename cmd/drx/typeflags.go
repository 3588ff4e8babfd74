package main

import "github.com/spf13/cobra"

// addTypeFlags adds --as and --clip of an import or an export. where is where the elements get the type.
func addTypeFlags(cmd *cobra.Command, as *string, clip *bool, where string) {
	f := cmd.Flags()
	f.StringVar(as, "as", "", "element `type` in the "+where)
	f.BoolVar(clip, "clip", false, "replace values that do not fit --as by the nearest that do")
	completeFlag(cmd, "as", cobra.FixedCompletions(dtypeNames(), cobra.ShellCompDirectiveNoFileComp))
}
