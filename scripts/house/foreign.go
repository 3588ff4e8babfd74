package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// A style describes the comments of tests and of sources in other languages.
type style struct {
	line       string // begins a comment that ends with the line
	begin, end string // around comments of several lines
}

// styles are the styles of files by the suffixes of their names.
var styles = []struct {
	name string
	style
}{
	{"_test.go", style{"//", "", ""}},
	{".sh", style{"#", "", ""}},
	{"Makefile", style{"#", "", ""}},
	{".py", style{"#", `"""`, `"""`}},
	{".c", style{"//", "/*", "*/"}},
	{".h", style{"//", "/*", "*/"}},
	{".hpp", style{"//", "/*", "*/"}},
	{".cpp", style{"//", "/*", "*/"}},
	{".f90", style{"!", "", ""}},
	{".F90", style{"!", "", ""}},
}

// foreignWidths is widths for tests and for sources in other languages. It knows only how comments
// begin and end, so it ignores comments after code.
func (s *sources) foreignWidths() (violations []string, err error) {
	err = filepath.WalkDir(s.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			built := s.local(path) == "lib/fortran" // written by make lib
			if built || path != s.root && (name == "bin" || name[0] == '.' || name[0] == '_') {
				return filepath.SkipDir
			}
			return nil
		}
		for _, known := range styles {
			if strings.HasSuffix(name, known.name) {
				text, err := os.ReadFile(path)
				violations = append(violations, known.wide(s.local(path), string(text))...)
				return err
			}
		}
		return nil
	})
	return violations, err
}

// wide returns the lines of comments of a file that are too wide, or none if the file is generated.
func (y style) wide(path, source string) (violations []string) {
	inside, quoted := false, false // inside a comment of several lines, or inside a Python string
	var text prose
	for i, line := range strings.Split(source, "\n") {
		trimmed := strings.TrimSpace(line)
		if i < 5 && strings.Contains(line, "enerated ") {
			return nil
		}
		comment, body := inside, trimmed
		switch {
		case inside:
			inside = !strings.Contains(trimmed, y.end)
		case quoted:
			quoted = !strings.Contains(trimmed, y.end)
		case y.begin != "" && strings.HasPrefix(trimmed, y.begin):
			comment, body = true, trimmed[len(y.begin):]
			inside = !strings.Contains(body, y.end)
		case strings.HasPrefix(trimmed, y.line+" "): // without a space it is a directive
			comment, body = true, trimmed[len(y.line):]
		case y.begin == y.end && y.begin != "":
			quoted = strings.Count(trimmed, y.begin)%2 == 1
		}
		body = strings.TrimSuffix(strings.TrimPrefix(body, "*"), y.end)
		if !comment {
			text = prose{}
		} else if n := utf8.RuneCountInString(line); text.next(body) && n > maxColumns {
			violations = append(violations, fmt.Sprintf("%s:%d: a comment of %d columns, more than %d: wrap it", path, i+1, n, maxColumns))
		}
	}
	return violations
}
