package transfer

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"drx/cube"
	"drx/dataset/cftime"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats"
	"drx/formats/texttable"
	"drx/internal/errkind"
	"drx/nd"
)

// columnRows is the number of rows of a column that are read at a time.
const columnRows = 1 << 15

// Columns are the variables of one dimension in a file as the rows of a table, as those of a
// Parquet file. They implement cube.Source.
type Columns struct {
	source  *Source
	na      texttable.Options
	vars    []formats.Info
	fields  []string
	used    []*usedColumn
	rows    int // of the used columns
	row     int // the next one
	rowSize int // bytes
}

// A usedColumn is a column that is read.
type usedColumn struct {
	at      int // its number
	info    formats.Info
	reader  formats.Reader
	meaning *meaning.Meaning
	units   *cftime.Units    // of times
	times   map[int64]string // texts of times
	digits  int              // of decimals behind the point; 0 for others
	buf     []byte
	first   int // the row at which buf begins
}

// HasColumns reports whether a file is in a format that is known by its first bytes, so that it is
// no table of text.
func HasColumns(path string) (bool, error) {
	registerFormats()
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	head := make([]byte, formats.HeadSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return false, err
	}
	known := func(f formats.Format) bool {
		return f.Name != "gzip" && f.List != nil && f.Recognise != nil && f.Recognise(head[:n])
	}
	return slices.ContainsFunc(formats.Formats(), known), nil
}

// OpenColumns opens the columns of a file. o has the words for missing values. The error is that of
// OpenSource, an optionerr.Error for other options, or wraps cube.ErrFormat if no variable has one
// dimension.
func OpenColumns(path string, o texttable.Options) (*Columns, error) {
	if err := o.RefuseAll("na"); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s, err := OpenSource(path, ImportOptions{})
	if err != nil {
		return nil, err
	}
	c := &Columns{source: s, na: texttable.Options{NA: o.NA, Decimal: "."}}
	for _, v := range s.Content().Vars {
		if len(v.Shape) == 1 || v.Refused != "" {
			c.vars = append(c.vars, v)
		}
	}
	if len(c.vars) == 0 {
		return nil, errors.Join(errkind.Errorf(cube.ErrFormat, "%s: no variable has one dimension, as the columns of a table have", path), c.Close())
	}
	return c, nil
}

// Close closes the file.
func (c *Columns) Close() (err error) {
	for _, u := range c.used {
		err = errors.Join(err, u.reader.Close())
	}
	return errors.Join(err, c.source.Close())
}

// Headings implements cube.Source. They have the units of numbers, as in temp [K].
func (c *Columns) Headings() ([]string, error) {
	heads := make([]string, len(c.vars))
	for i, v := range c.vars {
		if heads[i] = v.Name; !cftime.IsTime(textOf(v.Attrs["units"])) {
			heads[i] = texttable.WithUnits(v.Name, v.Attrs["units"])
		}
	}
	return heads, nil
}

// UnitsRow implements cube.Source: units are attributes.
func (c *Columns) UnitsRow(heads []string, _ []int) ([]string, error) { return heads, nil }

// Use implements cube.Source. The error wraps formats.ErrType for columns that cannot be read, and
// cube.ErrFormat if they have different lengths.
func (c *Columns) Use(columns []int) error {
	c.fields = make([]string, len(c.vars))
	for _, at := range columns {
		if slices.ContainsFunc(c.used, func(u *usedColumn) bool { return u.at == at }) {
			continue
		}
		if why := c.vars[at].Refused; why != "" {
			return errkind.Errorf(formats.ErrType, "%s: %s", c.vars[at].Name, why)
		}
		r, err := c.source.Reader(c.vars[at].Name)
		if err != nil {
			return err
		}
		u := &usedColumn{at: at, info: r.Info(), reader: r}
		c.used = append(c.used, u)
		if err := u.interpret(); err != nil {
			return fmt.Errorf("%s: %w", u.info.Name, err)
		}
		if n := u.info.Shape[0]; len(c.used) > 1 && n != c.rows {
			return errkind.Errorf(cube.ErrFormat, "%s has %d rows and %s %d: columns of a table have as many", c.used[0].info.Name, c.rows, u.info.Name, n)
		}
		c.rows = u.info.Shape[0]
		c.rowSize += u.info.DType.Size()
	}
	return nil
}

// interpret finds out what the elements mean.
func (u *usedColumn) interpret() (err error) {
	t := u.info.DType
	if t.IsComplex() {
		return errkind.Errorf(formats.ErrType, "a column of %v: want numbers, times or texts", t)
	}
	if u.info.Labels != nil {
		return nil
	}
	if u.meaning, err = meaningOfVar(u.info, nil); err != nil {
		return err
	}
	if units := textOf(u.info.Attrs["units"]); cftime.IsTime(units) && !u.meaning.IsPacked() {
		parsed, err := cftime.ParseUnits(units, textOf(u.info.Attrs["calendar"]))
		if err != nil {
			return err
		}
		u.units, u.times = &parsed, map[int64]string{}
	}
	if scale, ok := u.info.Attrs["scale_factor"].(float64); ok && !t.IsFloat() && u.info.Attrs["add_offset"] == nil {
		if digits := -math.Round(math.Log10(scale)); digits > 0 && math.Pow10(-int(digits)) == scale {
			u.digits = int(digits)
		}
	}
	return nil
}

// Numbers implements cube.Source.
func (c *Columns) Numbers([]int) *texttable.Numbers { return c.na.Numbers(',') }

// IsExact implements cube.Source: integers and floats are; packed numbers and decimals are not.
func (c *Columns) IsExact(column int) bool {
	for _, u := range c.used {
		if u.at == column {
			return u.meaning != nil && !u.meaning.IsPacked()
		}
	}
	return false
}

// Row implements cube.Source.
func (c *Columns) Row(int) string { return fmt.Sprintf("row %d", c.row) }

// InputOffset implements cube.Source.
func (c *Columns) InputOffset() int64 { return int64(c.row) * int64(c.rowSize) }

// Read implements cube.Source.
func (c *Columns) Read() ([]string, error) {
	if c.row >= c.rows {
		return nil, io.EOF
	}
	for _, u := range c.used {
		size := u.info.DType.Size()
		if len(u.buf) == 0 || c.row >= u.first+len(u.buf)/size {
			u.first = c.row
			u.buf = slices.Grow(u.buf[:0], columnRows*size)[:min(columnRows, c.rows-c.row)*size]
			if err := u.reader.ReadSection(nd.Section{nd.Span(c.row, c.row+len(u.buf)/size)}, u.buf); err != nil {
				return nil, err
			}
		}
		text, err := u.text(c.row - u.first)
		if err != nil {
			return nil, fmt.Errorf("row %d: %s: %w", c.row+1, u.info.Name, err)
		}
		c.fields[u.at] = text
	}
	c.row++
	return c.fields, nil
}

// maxTimes limits the texts of times that are kept.
const maxTimes = 1 << 16

// text returns an element of buf as text, "" for a missing value.
func (u *usedColumn) text(i int) (string, error) {
	t := u.info.DType
	element := u.buf[i*t.Size():][:t.Size()]
	switch {
	case u.info.Labels != nil:
		k, err := u.info.Label(u.buf, i)
		if err != nil {
			return "", err
		}
		return u.info.Labels[k], nil
	case u.meaning.IsMissing(element):
		return "", nil
	case u.units != nil:
		return u.timeText(element)
	case u.digits > 0:
		return decimal(u.meaning.Number().Format(element), u.digits)
	case t == dtype.Bool:
		return strconv.Itoa(int(element[0])), nil
	case u.meaning.IsPacked():
		return strconv.FormatFloat(u.meaning.Value(element), 'g', -1, 64), nil
	case t.IsFloat():
		return strconv.FormatFloat(t.Float64(element), 'g', -1, 64), nil
	}
	return u.meaning.Number().Format(element), nil
}

// timeText returns a time as text.
func (u *usedColumn) timeText(element []byte) (string, error) {
	t := u.info.DType
	if t.IsFloat() {
		at, err := u.units.Time(t.Float64(element))
		return u.units.Calendar.Format(at), err
	}
	n, err := strconv.ParseInt(u.meaning.Number().Format(element), 10, 64)
	if err != nil {
		return "", err
	}
	if text, known := u.times[n]; known {
		return text, nil
	}
	at, err := u.units.TimeOf(n)
	if err != nil {
		return "", err
	}
	if len(u.times) == maxTimes {
		clear(u.times)
	}
	u.times[n] = u.units.Calendar.Format(at)
	return u.times[n], nil
}

// mostDigits is the number of digits that every float64 keeps.
const mostDigits = 15

// decimal returns a whole number with a point before its last digits. The error wraps
// formats.ErrType if a float64 does not have all digits.
func decimal(whole string, digits int) (string, error) {
	number := strings.TrimPrefix(whole, "-")
	if len(number) > mostDigits {
		return "", errkind.Errorf(formats.ErrType, "a decimal of %d digits, of which a float64 has %d", len(number), mostDigits)
	}
	sign := whole[:len(whole)-len(number)]
	if missing := digits + 1 - len(number); missing > 0 {
		number = strings.Repeat("0", missing) + number
	}
	return sign + number[:len(number)-digits] + "." + number[len(number)-digits:], nil
}
