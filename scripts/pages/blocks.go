package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A block is a code block of a page, or the shell of a setup comment.
type block struct {
	line     int      // of the first line of text, from 1
	language string   // "setup" for the block of a setup comment
	lines    []string // between the fences
	notRun   string   // reason for not running it
	needs    []string // commands that it requires
	file     string   // name of the file that it is written to
	given    string   // parameters of the function around a Go block
}

func (b *block) text() string { return strings.Join(b.lines, "\n") + "\n" }

// languages are the languages of blocks.
var languages = []string{"setup", "sh", "console", "go", "python", "pycon", "c", "cpp", "fortran", "text", "json", "csv"}

// programs are the languages of blocks that only other blocks can run.
var programs = []string{"python", "c", "cpp", "fortran"}

// directive matches an HTML comment about the next block.
var directive = regexp.MustCompile(`^<!-- (not run|needs|file|given): (.+) -->$`)

// listItem matches the first line of an item of a list, in which indented lines are text.
var listItem = regexp.MustCompile(`^\s*([*+-]|\d+\.) `)

// parse returns the blocks of a page. It is an error if a block has no language, or no fences.
func parse(page string) ([]*block, error) {
	var blocks []*block
	lines := strings.Split(page, "\n")
	next := &block{} // collects the directives of the next block
	directed, inList := false, false
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		end := ""
		switch m := directive.FindStringSubmatch(line); {
		case m != nil:
			next.direct(m[1], m[2])
			directed = true
			continue
		case strings.HasPrefix(line, "<!-- setup"):
			end, next.language = "-->", "setup"
		case strings.HasPrefix(line, "```"):
			end, next.language = "```", strings.TrimPrefix(line, "```")
		case strings.HasPrefix(line, "    ") && !inList && (i == 0 || lines[i-1] == ""):
			return nil, fmt.Errorf("%d: an indented block; put it between fences with a language", i+1)
		case line != "" && !strings.HasPrefix(line, " "):
			inList = listItem.MatchString(line)
		}
		if end == "" {
			if line != "" && directed {
				return nil, fmt.Errorf("%d: the comment above is about a block, but there is none", i+1)
			}
			continue
		}
		if next.language == "" {
			return nil, fmt.Errorf("%d: a block without a language", i+1)
		}
		next.line = i + 2
		for i++; i < len(lines) && lines[i] != end; i++ {
			next.lines = append(next.lines, lines[i])
		}
		if i == len(lines) {
			return nil, fmt.Errorf("%d: a block without an end", next.line)
		}
		if !slices.Contains(languages, next.language) {
			return nil, fmt.Errorf("%d: language %q is none of %v", next.line-1, next.language, languages)
		}
		if slices.Contains(programs, next.language) && next.file == "" && next.notRun == "" {
			return nil, fmt.Errorf("%d: a block in %s that is not run; make it a file", next.line-1, next.language)
		}
		blocks, next, directed = append(blocks, next), &block{}, false
	}
	return blocks, nil
}

// direct stores what a comment says about the next block.
func (b *block) direct(word, value string) {
	switch word {
	case "not run":
		b.notRun = value
	case "needs":
		b.needs = append(b.needs, strings.Fields(value)...)
	case "file":
		b.file = value
	case "given":
		b.given = value
	}
}

// A command is one command of a console block with the output that the page shows.
type command struct {
	line   int // of the command in the page, from 1
	shell  string
	output []string
}

// commands returns the commands of a console block.
func (b *block) commands() ([]command, error) {
	var all []command
	for i, line := range b.lines {
		switch text, isCommand := strings.CutPrefix(line, "$ "); {
		case isCommand:
			all = append(all, command{line: b.line + i, shell: text + "\n"})
		case len(all) == 0:
			return nil, fmt.Errorf("%d: a console block begins with a command, after \"$ \"", b.line)
		case strings.HasPrefix(line, "> ") && len(all[len(all)-1].output) == 0:
			all[len(all)-1].shell += line[2:] + "\n"
		default:
			all[len(all)-1].output = append(all[len(all)-1].output, line)
		}
	}
	return all, nil
}

// volatile matches output that differs between runs (durations and rates) or between file systems
// (the space that files occupy).
var volatile = regexp.MustCompile(`\b\d+(\.\d+)? ?((ns|µs|ms|s|[KMGT]iB/s)\b|([KMGT]i)?B (on disk|table))`)

// sameOutput reports whether the output of a command agrees with the page.
func sameOutput(shown, got []string) bool {
	if len(shown) == 0 {
		return len(got) == 0
	}
	if shown[0] == "..." {
		for n := range len(got) + 1 {
			if sameOutput(shown[1:], got[n:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && masked(shown[0]) == masked(got[0]) && sameOutput(shown[1:], got[1:])
}

func masked(line string) string {
	return strings.TrimRight(volatile.ReplaceAllString(line, "N"), " ")
}
