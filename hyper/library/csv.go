package library

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"drx/hyper/scene"
)

// maxCSV is the largest table that is read, in bytes.
const maxCSV = 256 << 20

// ReadCSV reads a table: a column of wavelengths, and one column per spectrum. The first row has
// the names. The first name may contain the unit of the wavelengths, nm or um, as in "wavelength
// (nm)". If it is "band", the first column has only numbers of bands, and the wavelengths are
// unknown. An empty cell is a missing value. Columns are separated by commas, semicolons or tabs.
// The error names row, column and value.
func ReadCSV(r io.Reader) (*Library, error) {
	limited := &io.LimitedReader{R: r, N: maxCSV + 1}
	text := bufio.NewReader(limited)
	table := csv.NewReader(text)
	table.Comma = separator(text)
	table.TrimLeadingSpace = table.Comma != '\t'
	table.Comment = '#'
	head, err := table.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the table is empty: its first row has wavelength and the names of the spectra")
	}
	if err != nil {
		return nil, oneLine(err)
	}
	if len(head) < 2 {
		return nil, fmt.Errorf("row 1 has one column: the first has wavelengths, the others spectra")
	}
	first := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(head[0], "\ufeff")))
	if _, err := strconv.ParseFloat(first, 64); err == nil {
		return nil, fmt.Errorf("row 1 begins with the number %s: it must have names, such as wavelength, grass, soil", first)
	}
	l := &Library{Unit: unitIn(first), Spectra: make([][]float64, len(head)-1)}
	for _, name := range head[1:] {
		l.Names = append(l.Names, strings.Join(strings.Fields(name), " "))
	}
	for row := 2; ; row++ {
		cells, err := table.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, oneLine(err)
		}
		if err := l.addRow(row, cells); err != nil {
			return nil, err
		}
	}
	if limited.N == 0 {
		return nil, fmt.Errorf("the table has more than %d MiB", maxCSV>>20)
	}
	if first == "band" {
		l.Wavelengths = nil
	}
	return l, l.Check()
}

// addRow adds a channel.
func (l *Library) addRow(row int, cells []string) error {
	for column, cell := range cells {
		v := math.NaN()
		if cell = strings.TrimSpace(cell); cell != "" || column == 0 {
			var err error
			if v, err = strconv.ParseFloat(cell, 64); err != nil {
				return fmt.Errorf("row %d, column %d: %.20q is not a number", row, column+1, cell)
			}
		}
		switch {
		case column == 0:
			l.Wavelengths = append(l.Wavelengths, v)
		case v <= missing:
			v = math.NaN()
			fallthrough
		default:
			l.Spectra[column-1] = append(l.Spectra[column-1], v)
		}
	}
	return nil
}

// separator returns the character that separates columns: the candidate that occurs most often in
// the first line.
func separator(text *bufio.Reader) rune {
	line, _ := text.Peek(4 << 10)
	if end := strings.IndexByte(string(line), '\n'); end >= 0 {
		line = line[:end]
	}
	best := ','
	for _, c := range ";\t" {
		if strings.Count(string(line), string(c)) > strings.Count(string(line), string(best)) {
			best = c
		}
	}
	return best
}

// unitIn returns the unit of wavelengths in the name of a column.
func unitIn(name string) string {
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(" ()[]_,/-", r) }) {
		if unit := scene.LengthUnit(word); unit != "" {
			return unit
		}
	}
	return ""
}

// oneLine returns the error with its text in one line.
func oneLine(err error) error {
	return fmt.Errorf("%s", strings.Join(strings.Fields(err.Error()), " "))
}

// WriteCSV writes the table that ReadCSV reads, with empty cells for missing values. It returns the
// error of w.
func (l *Library) WriteCSV(w io.Writer) error {
	table := csv.NewWriter(w)
	head := "wavelength"
	if l.Unit != "" {
		head += " (" + l.Unit + ")"
	}
	if l.Wavelengths == nil {
		head = "band"
	}
	if err := table.Write(append([]string{head}, l.Names...)); err != nil {
		return err
	}
	for i := range l.Spectra[0] {
		cells := []string{strconv.Itoa(i)}
		if l.Wavelengths != nil {
			cells[0] = number(l.Wavelengths[i])
		}
		for _, s := range l.Spectra {
			cells = append(cells, number(s[i]))
		}
		if err := table.Write(cells); err != nil {
			return err
		}
	}
	table.Flush()
	return table.Error()
}

// number returns the shortest text that parses to the same number.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
