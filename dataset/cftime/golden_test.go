package cftime

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// The golden file has the dates that Python's cftime gives for numbers, to the microsecond.
func TestGolden(t *testing.T) {
	f, err := os.Open("testdata/golden.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 4000 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	refused := 0
	for _, row := range rows[1:] {
		if row[3] == "refused" {
			refused++
		}
		if err := checkGolden(row[0], row[1], row[2], row[3], row[4]); err != nil {
			t.Errorf("%s, %s, number %s: %v", row[0], row[1], row[2], err)
		}
	}
	if refused == 0 {
		t.Error("no date is refused")
	}
}

func checkGolden(units, calendar, number, date, back string) error {
	u, err := ParseUnits(units, calendar)
	if date == "refused" {
		if err == nil {
			return fmt.Errorf("not refused")
		}
		return nil
	}
	if err != nil {
		return err
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return err
	}
	moment, err := u.Time(x)
	if n, intErr := strconv.ParseInt(number, 10, 64); intErr == nil {
		moment, err = u.TimeOf(n)
		if got, exact := u.ValueInt(moment); got != n || !exact {
			return fmt.Errorf("back to the integer %d, %v", got, exact)
		}
	}
	if err != nil {
		return err
	}
	d := u.Calendar.Date(moment)
	if got := fmt.Sprint(d.Year, d.Month, d.Day, d.Hour, d.Minute, d.Second, d.Nano/1000); got != date || d.Nano%1000 != 0 {
		return fmt.Errorf("%s and %d ns, want %s", got, d.Nano%1000, date)
	}
	if again, err := u.Calendar.Time(d); again != moment {
		return fmt.Errorf("the date %v is %v, want %v: %v", d, again, moment, err)
	}
	period, err := u.Calendar.Parse(u.Calendar.Format(moment))
	if err != nil || period.First != moment {
		return fmt.Errorf("%s is read as %v: %v", u.Calendar.Format(moment), period.First, err)
	}
	want, err := strconv.ParseFloat(back, 64)
	if err != nil {
		return err
	}
	if got := u.Value(moment); math.Abs(got-want) > 1e-15*math.Abs(want)*4+1e-12 {
		return fmt.Errorf("back to %v, want %v", got, want)
	}
	return nil
}

// With python3-cftime the golden file must be up to date.
func TestGoldenIsCurrent(t *testing.T) {
	const python = "/usr/bin/python3" // Debian's packages are for this one
	if err := exec.Command(python, "-c", "import cftime").Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("apt-get install python3-cftime")
		}
		t.Skip("python3-cftime is not there")
	}
	got, err := exec.Command(python, "testdata/golden.py").Output()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/golden.csv")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("golden.py prints something else than golden.csv has")
	}
}
