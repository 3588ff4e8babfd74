package formats

import (
	"io"
	"strings"

	"drx/formats/texttable"
	"drx/internal/errkind"
)

// fields returns the fields of the next row, skipping empty lines and comments, or io.EOF.
func (t *table) fields() ([]string, error) {
	for {
		line, err := t.nextLine()
		if err != nil {
			return nil, err
		}
		switch {
		case strings.HasPrefix(line, "#"):
			continue
		case strings.TrimSpace(line) == "" && (t.sep != '\t' || line == ""):
			if t.empty == 0 && t.columns > 0 {
				t.empty = t.line
			}
			continue
		}
		if t.columns == 0 {
			t.sep = t.options.SeparatorOf(line)
			t.numbers = t.options.Numbers(t.sep)
		}
		return t.split(line)
	}
}

// nextLine reads a line without its end.
func (t *table) nextLine() (string, error) {
	var line []byte
	for {
		part, more, err := t.in.ReadLine()
		if err != nil && (err != io.EOF || len(line) == 0) {
			return "", err
		}
		line = append(line, part...)
		if len(line) > t.limit {
			return "", errkind.Errorf(ErrMemory, "line %d has more than %d bytes", t.line+1, t.limit)
		}
		if !more || err != nil {
			t.line++
			if strings.IndexByte(string(line), 0) >= 0 {
				return "", errkind.Errorf(ErrTable, "line %d has a byte 0, so the file is no text", t.line)
			}
			return string(line), nil
		}
	}
}

// countFields returns how many fields a line has. Separators in quotes count, too.
func (t *table) countFields(line string) (n int) {
	if t.sep != texttable.Blank {
		return strings.Count(line, string(t.sep)) + 1
	}
	blank := true
	for i := range len(line) {
		was := blank
		if blank = line[i] == ' ' || line[i] == '\t'; was && !blank {
			n++
		}
	}
	return n
}

// split divides a row into its fields. A field in quotes may go on in the next lines, and has two
// quotes for one.
func (t *table) split(line string) (fields []string, err error) {
	count := t.countFields(line)
	if most := t.limit / fieldMemory; count > most {
		return nil, errkind.Errorf(ErrMemory, "line %d has %d columns, more than %d", t.line, count, most)
	}
	fields = make([]string, 0, count)
	if t.sep == texttable.Blank && !strings.Contains(line, `"`) {
		return strings.Fields(line), nil
	}
	for {
		if t.sep == texttable.Blank {
			line = strings.TrimLeft(line, " ")
		}
		if !strings.HasPrefix(line, `"`) {
			end := t.fieldEnd(line)
			fields = append(fields, line[:end])
			line = line[end:]
		} else {
			var field string
			if field, line, err = t.quoted(line[1:]); err != nil {
				return nil, err
			}
			fields = append(fields, field)
		}
		if t.sep == texttable.Blank {
			line = strings.TrimLeft(line, " ")
		}
		if line == "" {
			return fields, nil
		}
		if t.sep == texttable.Blank {
			continue
		}
		if line[0] != t.sep {
			return nil, errkind.Errorf(ErrTable, "line %d, column %d: text after the quotes", t.line, len(fields))
		}
		line = line[1:]
		if line == "" {
			return append(fields, ""), nil
		}
	}
}

// fieldEnd returns where a field without quotes ends.
func (t *table) fieldEnd(line string) int {
	sep := t.sep
	if sep == 0 {
		sep = ' '
	}
	if i := strings.IndexByte(line, sep); i >= 0 {
		return i
	}
	return len(line)
}

// quoted returns the text of a field, given without its opening quote, and the rest of the line
// after its closing quote.
func (t *table) quoted(line string) (field, rest string, err error) {
	var text strings.Builder
	start := t.line
	for {
		i := strings.IndexByte(line, '"')
		if i < 0 {
			text.WriteString(line)
			text.WriteByte('\n')
			if line, err = t.nextLine(); err == io.EOF {
				return "", "", errkind.Of(io.ErrUnexpectedEOF, errkind.Errorf(ErrTable, "line %d: the quotes do not end", start))
			}
			if err == nil && text.Len() > t.limit {
				err = errkind.Errorf(ErrMemory, "line %d: the quotes do not end within %d bytes", start, t.limit)
			}
			if err != nil {
				return "", "", err
			}
			continue
		}
		text.WriteString(line[:i])
		if line = line[i+1:]; !strings.HasPrefix(line, `"`) {
			return text.String(), line, nil
		}
		text.WriteByte('"')
		line = line[1:]
	}
}
