package cli

import (
	"github.com/spf13/cobra"

	"drx/formats/texttable"
)

// AddTableFlags adds the flags that say how tables of text are meant.
func AddTableFlags(cmd *cobra.Command, o *texttable.Options) {
	f := cmd.Flags()
	f.StringSliceVar(&o.NA, "na", nil, "`words` for missing values in tables, as -9999,M, beside NA, NaN, null, - and others")
	f.StringVar(&o.Decimal, "decimal", "", "decimal `sign` of tables, . or , (default: found from the numbers)")
	f.StringVar(&o.Dates, "dates", "", "`order` of dates in tables with the year last: dmy or mdy (default: found from the dates)")
	f.StringVar(&o.Separator, "separator", "", "`separator` of the columns of tables: tab ; , | or blank (default: found from the first line)")
	f.StringVar(&o.Units, "units", "", "`whether` the line under the headings of tables has units: row or none (default: found from known units)")
	CompleteFlag(cmd, "units", cobra.FixedCompletions(texttable.UnitsRows, cobra.ShellCompDirectiveNoFileComp))
	CompleteFlag(cmd, "dates", cobra.FixedCompletions([]string{"dmy", "mdy"}, cobra.ShellCompDirectiveNoFileComp))
	CompleteFlag(cmd, "decimal", cobra.FixedCompletions([]string{".", ","}, cobra.ShellCompDirectiveNoFileComp))
	CompleteFlag(cmd, "separator", cobra.FixedCompletions(texttable.Separators, cobra.ShellCompDirectiveNoFileComp))
}
