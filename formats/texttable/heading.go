package texttable

import "strings"

// plainUnits are units that a heading may have in parentheses, as in temp (K). Other words there
// may be remarks, as in temp (mean).
var plainUnits = strings.Fields("K °C degC °F degF % 1 m mm cm km s min h d kg g mg m/s km/h kn hPa Pa kPa mbar bar W W/m2 W/m^2 J V A mol ppm ppb mm/h mm/d kg/m2 kg/m3 g/kg ° deg degree degrees EUR USD")

// CutUnits splits a heading into a name and its units, which follow in brackets, as in wind [m/s];
// units of plainUnits may be in parentheses. units is empty if there are none.
func CutUnits(heading string) (name, units string) {
	heading = strings.TrimSpace(heading)
	for _, pair := range []string{"[]", "()"} {
		i := strings.LastIndexByte(heading, pair[0])
		if i <= 0 || heading[len(heading)-1] != pair[1] {
			continue
		}
		units = strings.TrimSpace(heading[i+1 : len(heading)-1])
		known := pair == "[]" && units != ""
		for _, u := range plainUnits {
			known = known || u == units
		}
		if known {
			if units == "-" {
				units = "1"
			}
			return strings.TrimSpace(heading[:i]), units
		}
	}
	return heading, ""
}

// WithUnits returns a heading with units, for CutUnits: wind [m/s]. units is an attribute; without
// it, or if CutUnits would not return it, the heading is the name.
func WithUnits(name string, units any) string {
	text, ok := units.(string)
	heading := name + " [" + text + "]"
	if n, u := CutUnits(heading); !ok || n != name || u != text {
		return name
	}
	return heading
}
