package plot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"drx/dataset/cftime"
)

// fitting returns the predicate fits for a horizontal axis of the given length in pixels.
func fitting(t *testing.T, lo, hi float64, pixels int) func([]Tick) bool {
	t.Helper()
	fs, err := NewFonts(textSize)
	if err != nil {
		t.Fatal(err)
	}
	l := &layout{Figure: Figure{X: Axis{From: lo, To: hi}}, fonts: fs}
	return func(ticks []Tick) bool { return l.fitAcross(ticks, pixels) }
}

// overlap reports whether two labels below an axis of the given length in pixels overlap. It
// measures text boxes, independently of the layout.
func overlap(fs Fonts, ticks []Tick, lo, hi float64, pixels int) bool {
	for _, text := range []func(Tick) string{func(t Tick) string { return t.Label }, func(t Tick) string { return t.Sub }} {
		end := math.Inf(-1)
		for _, tick := range ticks {
			if text(tick) == "" {
				continue
			}
			middle, half := (tick.At-lo)/(hi-lo)*float64(pixels), float64(fs.Width(text(tick), textSize))/2
			if middle-half < end {
				return true
			}
			end = middle + half
		}
	}
	return false
}

func randomRange(rng *rand.Rand) (lo, hi float64) {
	width := math.Pow(10, 24*rng.Float64()-12)
	lo = width * (rng.Float64() - 0.5) * math.Pow(10, 5*rng.Float64())
	return lo, lo + width
}

// There are 3 to 10 ticks at multiples of 1, 2 or 5 times a power of ten, within the axis, with
// distinct labels that do not overlap; no finer step fits, as trying all steps shows.
func TestNumberTicks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	fs, err := NewFonts(textSize)
	if err != nil {
		t.Fatal(err)
	}
	for range 5000 {
		lo, hi := randomRange(rng)
		pixels := 640 + rng.IntN(600)
		fits := fitting(t, lo, hi, pixels)
		ticks := ticksOf(Numbers{}, lo, hi, fits)
		what := fmt.Sprintf("%v to %v on %d pixels: %v", lo, hi, pixels, ticks)
		if len(ticks) < 3 || len(ticks) > 10 || overlap(fs, ticks, lo, hi, pixels) {
			t.Fatal(what)
		}
		step := (ticks[len(ticks)-1].At - ticks[0].At) / float64(len(ticks)-1)
		digit := step / math.Pow(10, math.Floor(math.Log10(step*1.0001)))
		if near := func(v float64) bool { return math.Abs(digit-v) < 1e-6 }; !near(1) && !near(2) && !near(5) {
			t.Fatalf("%s: step %v", what, step)
		}
		for i, tick := range ticks {
			v, err := strconv.ParseFloat(tick.Label, 64)
			if err != nil || math.Abs(v-tick.At) > step/1000 || tick.At < lo || tick.At > hi {
				t.Fatalf("%s: tick %v, %v", what, tick, err)
			}
			if n := tick.At / step; math.Abs(n-math.Round(n)) > 1e-6*math.Abs(n)+1e-6 || i > 0 && ticks[i-1].Label == tick.Label {
				t.Fatalf("%s: tick %v is no multiple of %v, or has no label of its own", what, tick, step)
			}
		}
		for power := -14; power < 14; power++ {
			for _, d := range []int{1, 2, 5} {
				if float64(d)*math.Pow10(power) > step*0.9 {
					continue
				}
				if finer := numberTicks(lo, hi, d, power); len(finer) > 0 && len(finer) <= 10 && fits(finer) {
					t.Fatalf("%s: %v would do", what, finer)
				}
			}
		}
	}
}

func TestNumberTicksOfExtremeRanges(t *testing.T) {
	for _, c := range []struct{ lo, hi float64 }{
		{-math.MaxFloat64, math.MaxFloat64},
		{0, math.SmallestNonzeroFloat64 * 100},
		{1, math.Nextafter(1, 2)},
		{1e15, 1e15 + 1},
		{-1e-300, 1e-300},
		{5, 5},
		{0, 0},
		{math.MaxFloat64, math.MaxFloat64},
	} {
		ticks := ticksOf(Numbers{}, c.lo, c.hi, func([]Tick) bool { return true })
		if len(ticks) == 0 || len(ticks) > 10 || !slices.IsSortedFunc(ticks, func(a, b Tick) int { return int(math.Copysign(1, a.At-b.At)) }) {
			t.Errorf("%v to %v: %v", c.lo, c.hi, ticks)
		}
		for _, tick := range ticks {
			if !(tick.At >= c.lo && tick.At <= c.hi) || tick.Label == "" {
				t.Errorf("%v to %v: %v", c.lo, c.hi, ticks)
			}
		}
	}
}

func TestNumberLabels(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{-0.5, 4.5, "0 1 2 3 4"},
		{-3, 3, "-3 -2 -1 0 1 2 3"},
		{0, 5e8, "0 1e8 2e8 3e8 4e8 5e8"},
		{1234500, 1234600, "1234500 1234520 1234540 1234560 1234580 1234600"},
		{0, 3e-7, "0 5e-8 1e-7 1.5e-7 2e-7 2.5e-7 3e-7"},
	} {
		var got []string
		n := strings.Count(c.want, " ") + 1
		for _, tick := range ticksOf(Numbers{}, c.lo, c.hi, func(ticks []Tick) bool { return len(ticks) <= n }) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v to %v: %v, want %s", c.lo, c.hi, got, c.want)
		}
	}
	if ticks := ticksOf(Numbers{Whole: true}, -0.5, 1.5, func([]Tick) bool { return true }); len(ticks) != 2 || ticks[1].Label != "1" {
		t.Errorf("two indices: %v", ticks)
	}
}

// Ticks of times are at the beginnings of calendar units: 3 to 10 of them, within the axis, without
// overlap, each with a distinct label.
func TestTimeTicks(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	fs, err := NewFonts(textSize)
	if err != nil {
		t.Fatal(err)
	}
	for _, calendar := range []string{"standard", "proleptic_gregorian", "noleap", "all_leap", "360_day", "julian"} {
		units, err := cftime.ParseUnits("hours since 1900-01-01", calendar)
		if err != nil {
			t.Fatal(err)
		}
		for range 600 {
			lo := (rng.Float64() - 0.2) * 5e6 // about 1786 to 2356
			hi := lo + math.Pow(10, 13*rng.Float64()-6)
			pixels := 640 + rng.IntN(700)
			ticks := ticksOf(Times{units}, lo, hi, fitting(t, lo, hi, pixels))
			what := fmt.Sprintf("%s %v to %v on %d pixels: %v", calendar, lo, hi, pixels, ticks)
			if len(ticks) < 3 || len(ticks) > 10 || overlap(fs, ticks, lo, hi, pixels) {
				t.Fatal(what)
			}
			checkMoments(t, what, units, ticks, lo, hi)
		}
	}
}

// checkMoments checks that ticks are within the axis and ascend, that labels agree with values, and
// that labels are distinct.
func checkMoments(t *testing.T, what string, units cftime.Units, ticks []Tick, lo, hi float64) {
	t.Helper()
	seen, sub := map[string]bool{}, ""
	for i, tick := range ticks {
		if tick.Sub != "" {
			sub = tick.Sub
		}
		full := sub + " " + tick.Label
		if seen[full] || tick.At < lo-1e-9 || tick.At > hi+1e-9 || i > 0 && tick.At <= ticks[i-1].At {
			t.Fatalf("%s: tick %d", what, i)
		}
		seen[full] = true
		moment, err := units.Time(tick.At)
		if err != nil {
			t.Fatal(err)
		}
		text := units.Calendar.Format(moment)
		date, clock, _ := strings.Cut(text, "T")
		if strings.Contains(tick.Label, ":") { // values are rounded: seconds may end in .999999
			if len(clock) <= 5 && clock != "" && !strings.HasPrefix(tick.Label, clock) || clock == "" && tick.Label != "00:00" && !strings.HasPrefix(tick.Label, "00:00:00") {
				t.Fatalf("%s: tick %d is %s", what, i, text)
			}
		} else if clock != "" || !strings.HasPrefix(date, sub) && !strings.HasPrefix(date, tick.Label) {
			t.Fatalf("%s: tick %d is %s", what, i, text)
		}
	}
}

func TestTimeLabels(t *testing.T) {
	units, err := cftime.ParseUnits("days since 2024-01-01", "standard")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{0, 4, "2024 1 Jan| 2 Jan| 3 Jan| 4 Jan| 5 Jan"},
		{0, 0.5, "2024-01-01 00:00| 01:00| 02:00| 03:00| 04:00| 05:00| 06:00| 07:00| 08:00| 09:00| 10:00| 11:00| 12:00"},
		{0.75, 1.5, "2024-01-01 18:00| 20:00| 22:00|2024-01-02 00:00| 02:00| 04:00| 06:00| 08:00| 10:00| 12:00"},
		{330, 450, "2024 Dec|2025 Jan| Feb| Mar"},
		{0, 366 * 4, " 2024| 2025| 2026| 2027| 2028"},
		{24, 66, "2024 26 Jan| 1 Feb| 6 Feb| 11 Feb| 16 Feb| 21 Feb| 26 Feb| 1 Mar| 6 Mar"},
		{0, 2e-5, "2024-01-01 00:00:00| 00:00:00.2| 00:00:00.4| 00:00:00.6| 00:00:00.8| 00:00:01| 00:00:01.2| 00:00:01.4| 00:00:01.6"},
		{-365250 * 2.1, -365250 * 1.9, " -60| -40| -20| 20| 40| 60| 80| 100| 120"},
	} {
		n := strings.Count(c.want, "|") + 1
		var got []string
		for ticks := range (Times{units}).levels(c.lo, c.hi) {
			if len(ticks) > n {
				continue
			}
			for _, tick := range ticks {
				got = append(got, tick.Sub+" "+tick.Label)
			}
			break
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%v to %v:\n got %s\nwant %s", c.lo, c.hi, strings.Join(got, "|"), c.want)
		}
	}
	if ticks := ticksOf(Times{units}, -1e30, 1e30, func([]Tick) bool { return true }); len(ticks) < 3 {
		t.Errorf("times out of range: %v", ticks)
	}
}

func TestNameTicks(t *testing.T) {
	long := strings.Repeat("ü", 40)
	names := []string{"a\x1b", long, "c"}
	ticks := ticksOf(Names{func(i int) string { return names[i] }}, -0.5, 2.5, func([]Tick) bool { return true })
	if len(ticks) != 3 || ticks[0].Label != "a\uFFFD" || ticks[1].Label != strings.Repeat("ü", 23)+"…" {
		t.Errorf("%+v", ticks)
	}
	many := ticksOf(Names{func(i int) string { return fmt.Sprint("name ", i) }}, -0.5, 99.5, fitting(t, -0.5, 99.5, 300))
	if len(many) < 3 || many[1].Label != "name 20" {
		t.Errorf("%v", many)
	}
}
