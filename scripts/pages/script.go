package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A step is a part of the shell script of a page whose output is stored separately.
type step struct {
	line   int // in the page
	shell  string
	strict bool     // each line must succeed
	block  *block   // its block, if the page shows its output
	shown  []string // the output in the page
}

// stepsOf returns the steps of a page.
func stepsOf(blocks []*block) ([]step, error) {
	var steps []step
	for _, b := range blocks {
		switch {
		case b.notRun != "" || lacksAny(b.needs):
		case b.file != "":
			steps = append(steps, step{line: b.line, shell: writeFile(b.file, b.text()), strict: true})
		case b.language == "sh" || b.language == "setup":
			steps = append(steps, step{line: b.line, shell: b.text(), strict: true})
		case b.language == "console":
			commands, err := b.commands()
			if err != nil {
				return nil, err
			}
			for _, c := range commands {
				steps = append(steps, step{line: c.line, shell: c.shell, block: b, shown: c.output})
			}
		}
	}
	return steps, nil
}

// lacksAny reports whether this machine lacks one of the commands, or a Python module, as in
// python3:numpy.
func lacksAny(needs []string) bool {
	for _, need := range needs {
		name, module, isModule := strings.Cut(need, ":")
		if _, err := exec.LookPath(name); err != nil {
			return true
		}
		if isModule && exec.Command(name, "-c", "import "+module).Run() != nil {
			return true
		}
	}
	return false
}

// writeFile returns a command line that writes text to a file.
func writeFile(name, text string) string {
	return fmt.Sprintf("mkdir -p \"$(dirname '%s')\" && cat > '%[1]s' <<'END OF FILE'\n%[2]sEND OF FILE\n", name, text)
}

// script returns a shell script that runs the steps and writes their outputs to files of a folder.
func script(steps []step, outputs string) string {
	var b strings.Builder
	for i, s := range steps {
		flag := "+e"
		if s.strict {
			flag = "-e"
		}
		name := filepath.Join(outputs, fmt.Sprint(i))
		fmt.Fprintf(&b, "set %s\n{\n%s} > %s 2>&1 < /dev/null\nset +e; mv %[3]s %[3]s.done\n", flag, s.shell, name)
	}
	return b.String()
}

// output returns the lines that step number i has printed, and whether it was completed.
func output(outputs string, i int) (lines []string, done bool) {
	name := filepath.Join(outputs, fmt.Sprint(i))
	text, err := os.ReadFile(name + ".done")
	done = err == nil
	if !done {
		text, _ = os.ReadFile(name) // missing if an earlier step ended the script
	}
	if len(text) == 0 {
		return nil, done
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), done
}

// updated returns the page with the present outputs of its commands.
func updated(page string, steps []step, outputs string) string {
	lines := strings.Split(page, "\n")
	for i := len(steps) - 1; i >= 0; i-- { // from the end, so that line numbers stay valid
		s := steps[i]
		got, done := output(outputs, i)
		if s.block == nil || !done || sameOutput(s.shown, got) {
			continue
		}
		from := s.line - 1 + strings.Count(s.shell, "\n")
		lines = append(lines[:from:from], append(got, lines[from+len(s.shown):]...)...)
	}
	return strings.Join(lines, "\n")
}
