package manpage

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestWrite: a page must print characters that roff would interpret.
func TestWrite(t *testing.T) {
	root := &cobra.Command{Use: "tool", Short: "A tool", Version: "1"}
	verb := &cobra.Command{
		Use: "verb FILE", Short: "Do it", Long: "First\n.dot 'and' \\ 5 µs\n\n  -a  as is\n\nLast", Example: "  tool verb \"x\"",
		Run: func(*cobra.Command, []string) {},
	}
	verb.Flags().IntP("number", "n", 3, "how `many`")
	root.AddCommand(verb)
	root.AddCommand(&cobra.Command{Use: "words", Short: "A topic", Long: "Words."})
	for _, c := range []struct {
		cmd  *cobra.Command
		want []string
	}{
		{verb, []string{
			`.TH "TOOL\-VERB" "1" "" "tool 1" "DRX"`, `tool-verb \- do it`, "First\n\\&.dot \\(aqand\\(aq \\e 5 \\[u00B5]s\n",
			".PP\n.RS 4\n.nf\n\\-a  as is\n.fi\n.RE\n.PP\nLast\n",
			".TP\n\\fB\\-n\\fR, \\fB\\-\\-number\\fR \\fImany\\fR\nhow many (default: 3).\n", `tool verb \(dqx\(dq`, `.BR tool (1)`,
		}},
		{root, []string{".TP\n.B \"verb\"\nDo it.\n", ".SH \"WORDS\"\nWords.\n", `.BR tool\-verb (1)`}},
	} {
		var b strings.Builder
		if err := Write(&b, c.cmd); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s lacks %q:\n%s", c.cmd.Name(), want, b.String())
			}
		}
	}
}
