package meaning

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A unit is a factor times a product of powers of base units, with an offset for temperature
// scales: a value x in the unit is x*factor + offset in base units.
type unit struct {
	factor, offset float64
	dims           [7]int // powers of m, kg, s, K, A, mol, cd
}

// named maps names to units without prefixes, prefixed those that take SI prefixes.
var named, prefixed = map[string]unit{}, map[string]unit{}

func init() {
	add := func(to map[string]unit, factor, offset float64, dims [7]int, names string) {
		for name := range strings.FieldsSeq(names) {
			to[name] = unit{factor, offset, dims}
		}
	}
	m, kg, s, k := [7]int{1}, [7]int{0, 1}, [7]int{0, 0, 1}, [7]int{0, 0, 0, 1}
	none, pressure := [7]int{}, [7]int{-1, 1, -2}
	add(prefixed, 1, 0, m, "m meter meters metre metres")
	add(prefixed, 1e-3, 0, kg, "g gram grams")
	add(prefixed, 1, 0, s, "s second seconds sec")
	add(prefixed, 1, 0, k, "K kelvin kelvins Kelvin")
	add(prefixed, 1, 0, [7]int{4: 1}, "A ampere amperes")
	add(prefixed, 1, 0, [7]int{5: 1}, "mol mole moles")
	add(prefixed, 1, 0, [7]int{6: 1}, "cd candela")
	add(prefixed, 1, 0, pressure, "Pa pascal pascals")
	add(prefixed, 1e5, 0, pressure, "bar bars")
	add(prefixed, 1, 0, [7]int{1, 1, -2}, "N newton newtons")
	add(prefixed, 1, 0, [7]int{2, 1, -2}, "J joule joules")
	add(prefixed, 1, 0, [7]int{2, 1, -3}, "W watt watts")
	add(prefixed, 1, 0, [7]int{0, 0, -1}, "Hz hertz")
	add(prefixed, 1, 0, [7]int{2, 1, -3, 0, -1}, "V volt volts")
	add(prefixed, 1e-3, 0, [7]int{3}, "L l liter liters litre litres")
	add(prefixed, 1, 0, none, "rad radian radians sr")
	add(named, 60, 0, s, "min minute minutes")
	add(named, 3600, 0, s, "h hr hour hours")
	add(named, 86400, 0, s, "d day days")
	add(named, 7*86400, 0, s, "week weeks")
	add(named, 1, 273.15, k, "degC celsius Celsius degree_Celsius degrees_Celsius degree_celsius degrees_celsius degree_C degrees_C degree_c degrees_c degreeC degreesC degc °C")
	add(named, 5./9, 459.67*5/9, k, "degF fahrenheit Fahrenheit degree_Fahrenheit degrees_Fahrenheit degree_fahrenheit degrees_fahrenheit degree_F degrees_F degreeF degreesF °F")
	add(named, 1, 0, k, "degK degree_K degrees_K degreeK degreesK degree_kelvin degrees_kelvin °K")
	add(named, math.Pi/180, 0, none, "degree degrees deg arc_degree degree_north degrees_north degree_east degrees_east degree_N degrees_N degree_E degrees_E "+
		"degreeN degreesN degreeE degreesE °")
	add(named, math.Pi/180/60, 0, none, "arcminute arcminutes arcmin")
	add(named, math.Pi/180/3600, 0, none, "arcsecond arcseconds arcsec")
	add(named, 0.01, 0, none, "% percent")
	add(named, 1e-6, 0, none, "ppm ppmv")
	add(named, 1e-9, 0, none, "ppb ppbv")
	add(named, 101325, 0, pressure, "atm atmosphere")
	add(named, 133.322387415, 0, pressure, "mmHg")
	add(named, 3386.38864034, 0, pressure, "inHg")
	add(named, 6894.75729317, 0, pressure, "psi")
	add(named, 1e3, 0, kg, "t tonne tonnes")
	add(named, 0.45359237, 0, kg, "lb lbs pound pounds")
	add(named, 1852./3600, 0, [7]int{1, 0, -1}, "knot knots kt")
	// udunits2 reads mph as milliphot, which nobody means.
	add(named, 1609.344/3600, 0, [7]int{1, 0, -1}, "mph")
	add(named, 0.3048, 0, m, "ft foot feet")
	add(named, 0.0254, 0, m, "inch inches")
	add(named, 0.9144, 0, m, "yard yards")
	add(named, 1609.344, 0, m, "mile miles")
	add(named, 1852, 0, m, "nautical_mile nautical_miles")
	add(named, 1e-6, 0, m, "micron microns")
	add(named, 1e-10, 0, m, "angstrom angstroms")
	add(named, 1e4, 0, [7]int{2}, "ha hectare hectares")
	add(named, 4046.8726, 0, [7]int{2}, "acre acres")
}

// prefixes are the SI prefixes. Symbols combine with symbols and names with names.
var prefixes = []struct {
	symbol, name string
	factor       float64
}{
	{"da", "deca", 1e1},
	{"h", "hecto", 1e2},
	{"k", "kilo", 1e3},
	{"M", "mega", 1e6},
	{"G", "giga", 1e9},
	{"T", "tera", 1e12},
	{"P", "peta", 1e15},
	{"d", "deci", 1e-1},
	{"c", "centi", 1e-2},
	{"m", "milli", 1e-3},
	{"u", "micro", 1e-6},
	{"µ", "micro", 1e-6},
	{"μ", "micro", 1e-6},
	{"n", "nano", 1e-9},
	{"p", "pico", 1e-12},
	{"f", "femto", 1e-15},
}

// findUnit returns the unit with a name, with or without prefix.
func findUnit(name string) (unit, bool) {
	if u, known := named[name]; known {
		return u, true
	}
	if u, known := prefixed[name]; known {
		return u, true
	}
	for _, p := range prefixes {
		for _, begin := range []string{p.symbol, p.name} {
			rest, has := strings.CutPrefix(name, begin)
			u, known := prefixed[rest]
			isSymbol := len([]rune(rest)) <= 3 && rest != "sec" && !strings.HasSuffix(rest, "s") || rest == "s"
			// bar is both a symbol and a name
			if has && known && (rest == "bar" || isSymbol == (begin == p.symbol)) {
				u.factor *= p.factor
				return u, true
			}
		}
	}
	return unit{}, false
}

// SameUnits reports whether two texts are the same units, as degC and celsius.
func SameUnits(a, b string) bool {
	factor, shift, ok := conversionOf(a, b)
	return ok && factor == 1 && shift == 0
}

// IsUnit reports whether a text is a unit, or a product of powers of units, with a name in it: m/s
// or kg m-2, but not 1.
func IsUnit(text string) bool {
	_, known := parseUnit(text)
	return known && strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789+-.eE*/^ ", r) })
}

// factorPattern matches a factor of a product: a number, or a name with a power.
var factorPattern = regexp.MustCompile(`^(?:([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)|([^\s0-9+\-*/.^()]+)(?:(?:\^|\*\*)?([+-]?[0-9]+))?)`)

// parseUnit parses units: factors with powers, separated by spaces, dots, *, / or "per". ok is
// false if text is not a known unit.
func parseUnit(text string) (u unit, ok bool) {
	u = unit{factor: 1}
	rest, sign, factors := strings.TrimSpace(text), 1, 0
	for ; rest != ""; factors++ {
		part := factorPattern.FindStringSubmatch(rest)
		if part == nil {
			return u, false
		}
		if !u.multiply(part, sign, len(part[0]) == len(strings.TrimSpace(text))) {
			return u, false
		}
		rest, sign = strings.TrimLeft(rest[len(part[0]):], " "), 1
		switch {
		case strings.HasPrefix(rest, "/"):
			rest, sign = strings.TrimLeft(rest[1:], " "), -1
		case strings.HasPrefix(rest, "per "):
			rest, sign = strings.TrimLeft(rest[4:], " "), -1
		case strings.HasPrefix(rest, "*") || strings.HasPrefix(rest, "."):
			rest = strings.TrimLeft(rest[1:], " ")
		default:
			continue
		}
		if rest == "" {
			return u, false
		}
	}
	return u, factors > 0
}

// multiply multiplies u by a factor that factorPattern matched. alone says that it is the only
// factor. Only then its offset applies: degC is a temperature, degC per m is a difference.
func (u *unit) multiply(part []string, sign int, alone bool) bool {
	if part[1] != "" {
		x, err := strconv.ParseFloat(part[1], 64)
		u.factor *= math.Pow(x, float64(sign))
		return err == nil && x != 0
	}
	by, known := findUnit(part[2])
	power := 1
	if part[3] != "" {
		n, err := strconv.Atoi(part[3])
		if err != nil || n < -9 || n > 9 {
			return false
		}
		power = n
	}
	power *= sign
	u.factor *= math.Pow(by.factor, float64(power))
	for i, n := range by.dims {
		u.dims[i] += n * power
	}
	if alone && power == 1 {
		u.offset = by.offset
	}
	return known
}

// conversionOf returns the conversion between two units: x*factor + shift. ok is false if a unit is
// unknown, unless both texts are equal, or if their dimensions differ. Empty units mean the number
// 1.
func conversionOf(from, to string) (factor, shift float64, ok bool) {
	if from == to {
		return 1, 0, true
	}
	for _, text := range []*string{&from, &to} {
		if *text == "" {
			*text = "1"
			// A number without units has no known kind, so it converts to nothing but 1.
			if other := from + to; other != "11" && other != "1" {
				return 0, 0, false
			}
		}
	}
	f, okFrom := parseUnit(from)
	t, okTo := parseUnit(to)
	if !okFrom || !okTo || f.dims != t.dims {
		return 0, 0, false
	}
	factor, shift = f.factor/t.factor, (f.offset-t.offset)/t.factor
	if math.Abs(factor-1) < 1e-15 { // rounded, as from 100 Pa to hPa
		factor = 1
	}
	return factor, shift, true
}
