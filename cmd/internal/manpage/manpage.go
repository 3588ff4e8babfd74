// Package manpage writes the manual pages of a program from the help of its commands. Package
// cobra/doc was not used: it needs Markdown and three more modules, and its pages lack the names of
// flag values (they have --chunk=""), the commands by groups with descriptions, and the help
// topics. They also show =false behind every switch, and a line about the generator.
package manpage

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Command returns a hidden verb that writes the manual pages of its program to a folder.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:               "man FOLDER",
		Short:             "Write the manual pages to a folder",
		Hidden:            true,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		RunE:              func(cmd *cobra.Command, args []string) error { return WriteAll(cmd.Root(), args[0]) },
	}
}

// WriteAll writes a page for the program and one for each verb, also for verbs below verbs, to a
// folder, which it creates if necessary.
func WriteAll(root *cobra.Command, folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	pages := []*cobra.Command{root}
	for i := 0; i < len(pages); i++ {
		pages = append(pages, verbs(pages[i])...)
	}
	for _, cmd := range pages {
		f, err := os.Create(filepath.Join(folder, pageName(cmd)+".1"))
		if err != nil {
			return err
		}
		err = Write(f, cmd)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Write writes the page of a program or of a verb.
func Write(w io.Writer, cmd *cobra.Command) error {
	p := &page{}
	root := cmd.Root()
	version := root.Name()
	if root.Version != "" {
		version += " " + root.Version
	}
	p.macro("TH", strings.ToUpper(pageName(cmd)), "1", "", version, "DRX")
	p.macro("SH", "NAME")
	p.line(pageName(cmd) + ` \- ` + escape(lowerFirst(cmd.Short)))
	p.macro("SH", "SYNOPSIS")
	synopsis, details := cmd.UseLine(), cmd.Long
	if cmd.HasSubCommands() {
		synopsis = cmd.CommandPath() + " command [arguments] [flags]"
	}
	p.macro("B", synopsis)
	if details == "" {
		details = cmd.Short + "."
	}
	p.macro("SH", "DESCRIPTION")
	p.text(details)
	if cmd.HasSubCommands() {
		p.commands(cmd)
	}
	p.flags(cmd)
	if cmd.Example != "" {
		p.macro("SH", "EXAMPLES")
		p.verbatim(strings.Split(cmd.Example, "\n"))
	}
	if cmd == root {
		for _, topic := range root.Commands() {
			if topic.IsAdditionalHelpTopicCommand() {
				p.macro("SH", strings.ToUpper(strings.ReplaceAll(topic.Name(), "-", " ")))
				p.text(topic.Long)
			}
		}
	}
	p.seeAlso(cmd)
	_, err := io.WriteString(w, p.String())
	return err
}

// verbs returns the commands of a program that have pages: not hidden ones, nor those that cobra
// adds.
func verbs(root *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool {
		return !c.IsAvailableCommand() || c.Name() == "help" || c.Name() == "completion"
	})
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// A page is the text of a page so far, in the language of roff with the macros of man.
type page struct{ strings.Builder }

// line writes a line as it is.
func (p *page) line(s string) { p.WriteString(s + "\n") }

// macro writes a call of a macro with quoted arguments.
func (p *page) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, arg := range args {
		p.WriteString(` "` + escape(arg) + `"`)
	}
	p.WriteByte('\n')
}

// text writes paragraphs, which empty lines separate. Indented lines keep their line breaks.
func (p *page) text(text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		if strings.HasPrefix(lines[0], " ") || strings.HasPrefix(lines[0], "\t") {
			p.line(".PP")
			p.verbatim(lines)
			continue
		}
		if i > 0 {
			p.line(".PP")
		}
		for _, line := range lines {
			p.line(escape(line))
		}
	}
}

// verbatim writes indented lines with their line breaks.
func (p *page) verbatim(lines []string) {
	p.line(".RS 4")
	p.line(".nf")
	for _, line := range lines {
		p.line(escape(strings.TrimPrefix(strings.TrimPrefix(line, "\t"), "  ")))
	}
	p.line(".fi")
	p.line(".RE")
}

// commands lists the verbs of a program, or those below a verb, by their groups if it has any.
func (p *page) commands(root *cobra.Command) {
	p.macro("SH", "COMMANDS")
	groups := root.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{}}
	}
	for _, group := range groups {
		if group.Title != "" {
			p.macro("SS", strings.TrimSuffix(group.Title, ":"))
		}
		for _, verb := range verbs(root) {
			if verb.GroupID == group.ID {
				p.line(".TP")
				p.macro("B", verb.Name())
				p.line(escape(verb.Short) + ".")
			}
		}
	}
}

// flags lists the flags of a command.
func (p *page) flags(cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	p.macro("SH", "OPTIONS")
	print := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		text := `\fB` + escape("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			text = `\fB` + escape("-"+f.Shorthand) + `\fR, ` + text
		}
		if name != "" {
			text += ` \fI` + escape(name) + `\fR`
		}
		p.line(".TP")
		p.line(text)
		if !slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) {
			usage += " (default: " + f.DefValue + ")"
		}
		p.line(escape(usage) + ".")
	}
	cmd.NonInheritedFlags().VisitAll(print)
	cmd.InheritedFlags().VisitAll(print)
}

// seeAlso lists references: from the program to its verbs, and from a verb to its parent and to the
// verbs below it.
func (p *page) seeAlso(cmd *cobra.Command) {
	var others []*cobra.Command
	if cmd.HasParent() {
		others = append(others, cmd.Parent())
	}
	if cmd.HasSubCommands() {
		others = append(others, verbs(cmd)...)
	}
	p.macro("SH", "SEE ALSO")
	for i, other := range others {
		end := ","
		if i == len(others)-1 {
			end = ""
		}
		p.line(fmt.Sprintf(".BR %s (1)%s", escape(pageName(other)), end))
	}
}

// special maps the characters that roff changes or interprets to escapes that print them.
var special = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`)

// escape returns roff that prints a line as it is.
func escape(s string) string {
	var b strings.Builder
	for _, r := range special.Replace(s) {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	if strings.HasPrefix(b.String(), ".") {
		return `\&` + b.String()
	}
	return b.String()
}
