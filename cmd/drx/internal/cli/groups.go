package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
)

// ReadGroups reads a CSV file of two columns, labels and their groups, below a line of headings. It
// returns the heading of the groups and the group of each label.
func ReadGroups(name string) (heading string, groups map[string]string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = 2
	r.TrimLeadingSpace = true
	head, err := r.Read()
	if err == io.EOF {
		return "", nil, fmt.Errorf("%s: no line of headings, as in store,region", name)
	}
	groups = map[string]string{}
	for err == nil {
		var row []string
		if row, err = r.Read(); err != nil {
			break
		}
		if _, twice := groups[row[0]]; twice {
			line, _ := r.FieldPos(0)
			return "", nil, fmt.Errorf("%s: line %d: %q has a group already", name, line, row[0])
		}
		groups[row[0]] = row[1]
	}
	if err != io.EOF {
		return "", nil, fmt.Errorf("%s: want two columns, labels and groups: %w", name, err)
	}
	if len(groups) == 0 {
		return "", nil, fmt.Errorf("%s: only headings: want a line below them for each label, with its group", name)
	}
	return head[1], groups, nil
}
