package texttable_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"drx/dataset/cftime"
	"drx/formats/texttable"
)

// Numbers of a table are read one after the other; a convention that one determines applies to the
// later ones.
func TestNumbers(t *testing.T) {
	const text, doubt = "!text", "!doubt"
	for _, c := range []struct {
		o    texttable.Options
		sep  byte
		in   string // fields, with bars between them
		want string
	}{
		{in: "1|-2|3.5|.5|5.|1e3|1.5E-3|+4", want: "1|-2|3.5|.5|5.|1e3|1.5E-3|+4"},
		{in: "NA|n/a|NaN|null||-| |None|#N/A|<NA>|-nan", want: "||||||||||"},
		{in: "abc|1.2.3|1,2,3|0x10|1 2|31.12.2024|--", want: "abc|1.2.3|1,2,3|0x10|1 2|31.12.2024|--"},
		{in: "1,5|1,234|1.234|12.345.678,9", want: "1.5|1.234|1234|12345678.9"},
		{in: "1.5|1,234|1,234,567.25|0.125", want: "1.5|1234|1234567.25|0.125"},
		{in: "1,234,567|1,234", want: "1234567|1234"},
		{in: "1.234.567|1.234|1,234", want: "1234567|1234|1.234"},
		{in: "1,234", want: doubt},
		{in: "1.234", want: "1.234"},
		{in: "1.234", sep: ';', want: doubt},
		{in: "0,123|-12,345", sep: ';', want: "0.123|-12.345"},
		{in: "1,5|1.5", want: "1.5|" + text},
		{in: "1.5|1,5", want: "1.5|" + text},
		{in: "1 234 567,5|1\u00a0234|12'345", want: "1234567.5|1234|12345"},
		{in: "1234,567|1,234e2", want: "1234.567|1.234e2"},
		{o: texttable.Options{Decimal: ","}, in: "1.234|1,234|1.5", want: "1234|1.234|" + text},
		{o: texttable.Options{Decimal: "."}, sep: ';', in: "1.234|1,234|1,5", want: "1.234|1234|" + text},
		{o: texttable.Options{NA: []string{"-9999", "M"}}, in: "-9999|-9999.0|M|m|9999|NA", want: "|||m|9999|"},
	} {
		n := c.o.Numbers(c.sep)
		var got []string
		for field := range strings.SplitSeq(c.in, "|") {
			s, err := n.Parse(field)
			switch {
			case errors.Is(err, texttable.ErrDoubt):
				s = doubt
			case errors.Is(err, texttable.ErrText):
				s = text
			case err != nil:
				t.Fatal(err)
			}
			got = append(got, s)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%+v %q: %q, want %q", c.o, c.in, got, c.want)
		}
	}
}

// Times of a column, in UTC.
func TestTimes(t *testing.T) {
	for _, c := range []struct{ order, in, want string }{
		{"", "2024-01-31|2024/2/1 6:30|2024.03.01T06:30:15.5", "2024-01-31|2024-02-01T06:30|2024-03-01T06:30:15.5"},
		{"", "2024-01-31T00:30+01:00|2024-01-31T00:00Z", "2024-01-30T23:30|2024-01-31"},
		{"", "2024-01-31T00:30+01:00|2024-01-31T00:00", "2024-01-31T00:30+01:00 has a zone and 2024-01-31T00:00 has none"},
		{"", "1.2.2024|31.1.2024", "2024-02-01|2024-01-31"},
		{"", "1/2/2024|1/31/2024 1:30 PM|1/31/2024 12:05:00 am", "2024-01-02|2024-01-31T13:30|2024-01-31T00:05"},
		{"", "1.2.2024|3.3.2024", "1.2.2024 may be 2024-02-01 or 2024-01-02, and no date before it decides: option dates=\"dmy\" or option dates=\"mdy\" says it"},
		{"", "3.3.2024|4/4/2024", "2024-03-03|2024-04-04"},
		{"dmy", "1.2.2024", "2024-02-01"},
		{"mdy", "1.2.2024", "2024-01-02"},
		{"mdy", "31.2.2024", "has another order than option dates=\"mdy\""},
		{"", "31.1.2024|1.31.2024", "1.31.2024 has another order of day and month than 31.1.2024 before it"},
		{"", "31-Jan-2024|1 FEB 2024 06:00|01-OCT-2024", "2024-01-31|2024-02-01T06:00|2024-10-01"},
	} {
		var got []string
		times, err := texttable.Options{Dates: c.order}.ParseTimes(strings.Split(c.in, "|"))
		for _, u := range times {
			got = append(got, cftime.Standard.Format(u))
		}
		text := strings.Join(got, "|")
		if err != nil {
			text = err.Error()
		}
		if err == nil && text != c.want || err != nil && !strings.Contains(text, c.want) {
			t.Errorf("%q %s: %s, want %s", c.in, c.order, text, c.want)
		}
	}
	for _, text := range []string{
		"", "x", "12", "1.5", "1.2.3", "2024", "2024-01", "20240131", "1/22/20", "31.13.2024", "2024-13-01", "2024-02-30", "32.1.2024", "1-2.2024", "1 2 2024",
		"2024-01-31x", "2024-01-31T", "2024-01-31 25:00", "13:00", "31.1.2024 13:00 PM", "May", "1-Mayday-2024", "10,20,2024", "-1.2.2024",
	} {
		var times texttable.Times
		if u, err := times.Parse(text); !errors.Is(err, texttable.ErrTime) {
			t.Errorf("%q: %v, %v", text, u, err)
		}
	}
}

// Text with a byte order mark gives the same result in all encodings, however it is read.
func TestDecode(t *testing.T) {
	const text = "Zürich;\U0001f321;\n1,5;2\n"
	units := append([]uint16{0xfeff}, utf16.Encode([]rune(text))...)
	var little, big []byte
	for _, u := range units {
		little, big = append(little, byte(u), byte(u>>8)), append(big, byte(u>>8), byte(u))
	}
	for _, data := range [][]byte{[]byte(text), []byte("\ufeff" + text), little, big} {
		r := texttable.Decode(bytes.NewReader(data))
		var got []byte
		for {
			p := make([]byte, 1+rand.IntN(9))
			n, err := r.Read(p)
			got = append(got, p[:n]...)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if string(got) != text {
			t.Errorf("%q: %q", data[:4], got)
		}
	}
	if _, err := io.ReadAll(texttable.Decode(bytes.NewReader(little[:len(little)-1]))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if err := texttable.CheckText("Z\xfcrich"); err == nil || texttable.CheckText("Zürich") != nil {
		t.Error(err)
	}
}

// Units are in brackets, or in parentheses if they are known.
func TestCutUnits(t *testing.T) {
	for heading, want := range map[string][2]string{
		"temp [degC]": {"temp", "degC"}, "wind speed (m/s)": {"wind speed", "m/s"}, "t (mean)": {"t (mean)", ""}, "x [-]": {"x", "1"},
		"x []": {"x []", ""}, "[degC]": {"[degC]", ""}, "t_degC": {"t_degC", ""}, " T [°C] ": {"T", "°C"}, "a [x] b": {"a [x] b", ""},
	} {
		if name, units := texttable.CutUnits(heading); name != want[0] || units != want[1] {
			t.Errorf("%q: %q, %q", heading, name, units)
		}
	}
}

// Separators are found outside of quotes, and other options are validated.
func TestOptions(t *testing.T) {
	for line, want := range map[string]byte{"a,b": ',', "a;b,c": ';', "a\tb;c": '\t', "a b": ' ', `"a;b",c`: ',', "a|b,c": ',', "a|b": '|'} {
		if got := (texttable.Options{}).SeparatorOf(line); got != want {
			t.Errorf("%q: %q", line, got)
		}
	}
	if got := (texttable.Options{Separator: ","}).SeparatorOf("a;b,c"); got != ',' {
		t.Errorf("%q", got)
	}
	for want, o := range map[string]texttable.Options{"decimal": {Decimal: "x"}, "dates": {Dates: "ymd"}, "separator": {Separator: "x"}, "units": {Units: "x"}, "": {NA: []string{"x"}}} {
		if err := o.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), "option "+want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
