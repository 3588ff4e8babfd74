package meaning

import (
	"encoding/json"
	"errors"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"drx/dtype"
)

// of returns the meaning of attributes, given as a JSON object.
func of(t testing.TB, typ dtype.DType, fill, attrs string) *Meaning {
	t.Helper()
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte("{"+attrs+"}"), &raw); err != nil {
		t.Fatal(attrs, err)
	}
	var element []byte
	if fill != "" {
		var err error
		if element, err = typ.Encode(fill); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Of(typ, element, raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// encode returns elements of values that spaces separate.
func encode(t testing.TB, typ dtype.DType, values string) (elements []byte) {
	t.Helper()
	for text := range strings.FieldsSeq(values) {
		b, err := typ.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		elements = append(elements, b...)
	}
	return elements
}

func format(typ dtype.DType, elements []byte) string {
	var list []string
	for ; len(elements) > 0; elements = elements[typ.Size():] {
		list = append(list, typ.Format(elements[:typ.Size()]))
	}
	return strings.Join(list, " ")
}

// The test checks the three answers: same, converted, and refused; values may also be refused only
// when they are converted.
func TestCompare(t *testing.T) {
	type side struct {
		typ         dtype.DType
		fill, attrs string
	}
	const days, hours = `"units":"days since 2000-01-01"`, `"units":"hours since 2000-01-01"`
	flags := func(names string) string { return `"flag_values":[0,1,2],"flag_meanings":"` + names + `"` }
	for name, test := range map[string]struct {
		from, to side
		in, want string // want of "same", of elements, or of a part of the error
	}{
		"signed as unsigned says":   {side{dtype.Uint8, "", `"_Unsigned":"false"`}, side{dtype.Int16, "", ``}, "255 3", "-1 3"},
		"durations":                 {side{dtype.Int64, "", `"units":"hours"`}, side{dtype.Int64, "", `"units":"seconds"`}, "9007199254740 -2", "32425917317064000 -7200"},
		"durations, coarser":        {side{dtype.Int64, "", `"units":"seconds"`}, side{dtype.Int64, "", `"units":"hours"`}, "32425917317064000 -7200", "9007199254740 -2"},
		"durations, too fine":       {side{dtype.Int64, "", `"units":"seconds"`}, side{dtype.Int64, "", `"units":"hours"`}, "32425917317064001", `is no whole number in the units of the target, "hours"`},
		"durations, too large":      {side{dtype.Int8, "", `"units":"hours"`}, side{dtype.Int16, "", `"units":"seconds"`}, "100", "does not fit int16"},
		"durations, far too large":  {side{dtype.Int64, "", `"units":"days"`}, side{dtype.Int64, "", `"units":"seconds"`}, "9223372036854775807", "does not fit int64"},
		"unsigned of all bits":      {side{dtype.Uint64, "7", ""}, side{dtype.Uint64, "8", ""}, "18446744073709551615 7", "18446744073709551615 8"},
		"same":                      {side{dtype.Int16, "-9", `"scale_factor":0.5`}, side{dtype.Int16, "-9", `"scale_factor":0.5,"add_offset":0`}, "1", "same"},
		"other scale":               {side{dtype.Int16, "-9", `"scale_factor":0.5`}, side{dtype.Int16, "-8", `"scale_factor":0.25,"add_offset":1`}, "4 -9 6", "4 -8 8"},
		"scale does not fit":        {side{dtype.Int16, "", `"scale_factor":100`}, side{dtype.Int16, "", `"scale_factor":0.01`}, "1 4", "does not fit"},
		"becomes missing":           {side{dtype.Int16, "-9", ""}, side{dtype.Int16, "4", ""}, "1 4", "would be read as missing"},
		"no mark of missing":        {side{dtype.Int16, "-9", ""}, side{dtype.Int16, "", ""}, "1 -9", "marks no missing values"},
		"fill zero marks nothing":   {side{dtype.Int16, "0", ""}, side{dtype.Int16, "", ""}, "0", "same"},
		"fill zero marks":           {side{dtype.Int16, "0", `"_FillValue":0`}, side{dtype.Int16, "-1", ""}, "0 5", "-1 5"},
		"several missing":           {side{dtype.Int16, "", `"missing_value":[-1,-2]`}, side{dtype.Int16, "-3", ""}, "-1 -2 7", "-3 -3 7"},
		"missing not of the type":   {side{dtype.Int8, "", `"missing_value":300`}, side{dtype.Int8, "", ``}, "44", "same"},
		"missing in floats":         {side{dtype.Float32, "-9", ""}, side{dtype.Float32, "", ""}, "-9 NaN 2", "NaN NaN 2"},
		"degC to K":                 {side{dtype.Float64, "", `"units":"degC"`}, side{dtype.Float64, "", `"units":"K"`}, "0 1.5", "273.15 274.65"},
		"hPa to Pa, packed":         {side{dtype.Float32, "", `"units":"hPa"`}, side{dtype.Int16, "", `"units":"Pa","scale_factor":10`}, "12.5", "125"},
		"K to m":                    {side{dtype.Float64, "", `"units":"K"`}, side{dtype.Float64, "", `"units":"m"`}, "0", `units is "K", that of the target is "m"`},
		"unknown units":             {side{dtype.Float64, "", `"units":"furlong"`}, side{dtype.Float64, "", `"units":"fortnight"`}, "0", "units is"},
		"no units and K":            {side{dtype.Float64, "", ``}, side{dtype.Float64, "", `"units":"K"`}, "0", "units is none"},
		"no units and 1":            {side{dtype.Float64, "", ``}, side{dtype.Float64, "", `"units":"1"`}, "0", "same"},
		"unsigned to signed":        {side{dtype.Int8, "", `"_Unsigned":"true"`}, side{dtype.Int8, "", ``}, "0", "int8 with _Unsigned"},
		"unsigned to unsigned":      {side{dtype.Int8, "", `"_Unsigned":"true"`}, side{dtype.Uint8, "", ``}, "0", "same"},
		"unsigned to wider":         {side{dtype.Int8, "", `"_Unsigned":"true"`}, side{dtype.Int16, "", ``}, "-1 3", "255 3"},
		"unsigned missing":          {side{dtype.Int8, "", `"_Unsigned":"true","missing_value":255`}, side{dtype.Int16, "-1", ``}, "-1 3", "-1 3"},
		"narrower type":             {side{dtype.Int16, "", ``}, side{dtype.Int8, "", ``}, "0", "type is int16, that of the target is int8"},
		"float to integer":          {side{dtype.Float32, "", ``}, side{dtype.Int32, "", ``}, "0", "type is float32"},
		"scales of bands":           {side{dtype.Int16, "", `"scale_factor":[1,0.5]`}, side{dtype.Int16, "", `"scale_factor":[1,2]`}, "", "scale_factor is 0.5 and an offset of 0 at index 1, that of"},
		"packed to whole":           {side{dtype.Int16, "", `"scale_factor":0.5`}, side{dtype.Int32, "", ``}, "4 5", "scale_factor is 0.5"},
		"complex to real":           {side{dtype.Complex64, "", ``}, side{dtype.Float64, "", ``}, "0", "imaginary"},
		"large integers":            {side{dtype.Int64, "-1", ``}, side{dtype.Int64, "-2", ``}, "9223372036854775807 -1", "9223372036854775807 -2"},
		"hours to days":             {side{dtype.Int32, "", hours}, side{dtype.Int32, "", days}, "24 48", "1 2"},
		"hours to days, too fine":   {side{dtype.Int32, "", hours}, side{dtype.Int32, "", days}, "24 30", "2000-01-02T06:00 is no whole number in the units"},
		"hours to float days":       {side{dtype.Int32, "", hours}, side{dtype.Float64, "", days}, "36", "1.5"},
		"times too fine":            {side{dtype.Int64, "", `"units":"seconds since 2000-01-01"`}, side{dtype.Float32, "", days}, "864000001", "too fine"},
		"missing time":              {side{dtype.Int32, "-99", hours}, side{dtype.Int32, "", days}, "-99", "value missing cannot be stored"},
		"months":                    {side{dtype.Int32, "", `"units":"months since 2000-01-01"`}, side{dtype.Int32, "", days}, "1", "the length of a month varies"},
		"time and no time":          {side{dtype.Int32, "", `"units":"2"`}, side{dtype.Int32, "", days}, "1", `units is "2"`},
		"calendars":                 {side{dtype.Int32, "", days + `,"calendar":"noleap"`}, side{dtype.Int32, "", days}, "1", "calendar is noleap, that of the target is standard"},
		"calendars of today":        {side{dtype.Int32, "", days + `,"calendar":"proleptic_gregorian"`}, side{dtype.Int32, "", days}, "1", "1"},
		"flags":                     {side{dtype.Int8, "", flags("land sea ice")}, side{dtype.Int8, "", flags("land sea ice")}, "1", "same"},
		"other flags":               {side{dtype.Int8, "", flags("sea land ice")}, side{dtype.Int8, "", flags("land sea ice")}, "1", "flag_meanings is 0 sea, 1 land, 2 ice"},
		"fewer flags":               {side{dtype.Int8, "", flags("land sea")}, side{dtype.Int8, "", flags("land sea ice")}, "1", "same"},
		"lists of scales":           {side{dtype.Int8, "", `"scale_factor":[1,2]`}, side{dtype.Int8, "", `"scale_factor":[1,3]`}, "1", "scale_factor"},
		"upward and downward":       {side{dtype.Float32, "", `"positive":"up"`}, side{dtype.Float32, "", `"positive":"down"`}, "1", "positive is up, that of the target is down"},
		"Up and up":                 {side{dtype.Float32, "", `"positive":"Up"`}, side{dtype.Float32, "", `"positive":"up"`}, "1", "same"},
		"other standard names":      {side{dtype.Float32, "", `"standard_name":"air_temperature"`}, side{dtype.Float32, "", `"standard_name":"sea_surface_temperature"`}, "1", "standard_name is air_temperature, that of the target is sea_surface_temperature"},
		"a modifier":                {side{dtype.Float32, "", `"standard_name":"air_temperature standard_error"`}, side{dtype.Float32, "", `"standard_name":"air_temperature"`}, "1", "standard_name is air_temperature standard_error"},
		"standard name, and none":   {side{dtype.Float32, "", `"standard_name":"air_temperature"`}, side{dtype.Float32, "", ``}, "1", "same"},
		"other spaces":              {side{dtype.Float32, "", `"standard_name":" air_temperature  standard_error"`}, side{dtype.Float32, "", `"standard_name":"air_temperature standard_error"`}, "1", "same"},
		"other long names":          {side{dtype.Float32, "", `"long_name":"a"`}, side{dtype.Float32, "", `"long_name":"b"`}, "1", "same"},
		"mean onto maximum":         {side{dtype.Float32, "", `"cell_methods":"time: mean"`}, side{dtype.Float32, "", `"cell_methods":"time: maximum"`}, "1", `cell_methods is "time: mean", that of the target is "time: maximum"`},
		"mean of all onto maximum":  {side{dtype.Float32, "", `"cell_methods":"area: time: mean"`}, side{dtype.Float32, "", `"cell_methods":"time: maximum"`}, "1", "cell_methods is"},
		"land onto sea":             {side{dtype.Float32, "", `"cell_methods":"area: mean where land"`}, side{dtype.Float32, "", `"cell_methods":"area: mean where sea"`}, "1", "cell_methods is"},
		"statistics of statistics":  {side{dtype.Float32, "", `"cell_methods":"time: minimum within days time: mean over days"`}, side{dtype.Float32, "", `"cell_methods":"time: mean within days time: minimum over days"`}, "1", "cell_methods is"},
		"interval and comment":      {side{dtype.Float32, "", `"cell_methods":"time: mean (interval: 1 hr comment: a: b)"`}, side{dtype.Float32, "", `"cell_methods":"Time:  mean"`}, "1", "same"},
		"methods of more":           {side{dtype.Float32, "", `"cell_methods":"area: time: mean"`}, side{dtype.Float32, "", `"cell_methods":"time: mean"`}, "1", "same"},
		"methods, and none":         {side{dtype.Float32, "", ``}, side{dtype.Float32, "", `"cell_methods":"time: mean"`}, "1", "same"},
		"nodata":                    {side{dtype.Int16, "", `"nodata":0.0`}, side{dtype.Int16, "-1", ``}, "0 5", "-1 5"},
		"nodata of bands, equal":    {side{dtype.Int16, "", `"nodata":[0,0.0]`}, side{dtype.Int16, "-1", ``}, "0 5", "-1 5"},
		"the same of bands":         {side{dtype.Int16, "", `"nodata":[0,null]`}, side{dtype.Int16, "", `"nodata":[0,null]`}, "0 5", "same"},
		"others of bands":           {side{dtype.Int16, "", `"nodata":[0,null]`}, side{dtype.Int16, "", `"nodata":[0,5]`}, "0 5", "another one in each of 2 bands (0, none)"},
		"of bands, and of all":      {side{dtype.Int16, "", `"nodata":[0,7]`}, side{dtype.Int16, "7", ``}, "0 5", "nodata is another one"},
		"of bands, other types":     {side{dtype.Int16, "", `"nodata":[0,7]`}, side{dtype.Int32, "", `"nodata":[0,7]`}, "0 5", "nodata is another one"},
		"missing, a half of a list": {side{dtype.Int8, "", `"missing_value":[-1,300]`}, side{dtype.Int16, "-9", ``}, "-1 44", "-9 44"},
		"fill is a list":            {side{dtype.Int16, "", `"_FillValue":[-1]`}, side{dtype.Int16, "-9", ``}, "-1 4", "-9 4"},
		"valid_range masks none":    {side{dtype.Int8, "", `"valid_range":[0,5]`}, side{dtype.Int8, "", ``}, "9", "same"},
	} {
		from, to := of(t, test.from.typ, test.from.fill, test.from.attrs), of(t, test.to.typ, test.to.fill, test.to.attrs)
		c, err := Compare(from, to, Exact)
		got := "same"
		if err == nil && c != nil {
			var out []byte
			out, err = c.Apply(encode(t, from.Type, test.in))
			got = format(to.Type, out)
		}
		if err != nil {
			got = err.Error()
			if !errors.Is(err, ErrRefused) {
				t.Errorf("%s: %v is no ErrRefused", name, err)
			}
		}
		if got != test.want && (err == nil || !strings.Contains(got, test.want)) {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

// The rule Values allows types that lack some values, but checks each value.
func TestValues(t *testing.T) {
	for name, test := range map[string]struct {
		from, to dtype.DType
		toAttrs  string
		in, want string
	}{
		"whole floats":         {dtype.Float64, dtype.Int16, "", "3 -4", "3 -4"},
		"fraction":             {dtype.Float64, dtype.Int32, "", "1000000000.25", "is no whole number"},
		"too large":            {dtype.Float64, dtype.Int16, "", "40000", "does not fit int16"},
		"NaN":                  {dtype.Float32, dtype.Int16, "", "NaN", "marks no missing values"},
		"NaN to missing":       {dtype.Float32, dtype.Int16, `"missing_value":-1`, "NaN 5", "-1 5"},
		"missing is taken":     {dtype.Float32, dtype.Int16, `"missing_value":-1`, "-1", "would be read as missing"},
		"integers":             {dtype.Int64, dtype.Uint8, "", "255 0", "255 0"},
		"negative":             {dtype.Int64, dtype.Uint64, "", "-1", "does not fit uint64"},
		"beyond int64":         {dtype.Uint64, dtype.Int64, "", "9223372036854775808", "does not fit int64"},
		"narrower floats":      {dtype.Float64, dtype.Float32, "", "0.1", "0.1"},
		"beyond floats":        {dtype.Float64, dtype.Float32, "", "1e300", "does not fit"},
		"integers as floats":   {dtype.Int32, dtype.Float32, "", "16777216 -3", "1.6777216e+07 -3"},
		"no integer of floats": {dtype.Int32, dtype.Float32, "", "16777217", "has not all integers"},
		"no limit of floats":   {dtype.Int64, dtype.Float64, "", "9223372036854775807", "has not all integers"},
		"limits as floats":     {dtype.Int64, dtype.Float32, "", "-9223372036854775808", "-9.223372e+18"},
		"unsigned as floats":   {dtype.Uint64, dtype.Float64, "", "9223372036854775808", "9.223372036854776e+18"},
		"unsigned, too fine":   {dtype.Uint64, dtype.Float64, "", "18446744073709551615", "has not all integers"},
		"integers as complex":  {dtype.Int32, dtype.Complex64, "", "16777217", "type is int32"},
		"integers in complex":  {dtype.Int16, dtype.Complex64, "", "-7", "(-7+0i)"},
		"zero and one":         {dtype.Int8, dtype.Bool, "", "0 1", "false true"},
		"neither":              {dtype.Int8, dtype.Bool, "", "2", "2"},
		"floats as bools":      {dtype.Float32, dtype.Bool, "", "1", "type is float32"},
		"complex":              {dtype.Complex128, dtype.Complex64, "", "(1+2i)", "(1+2i)"},
		"imaginary":            {dtype.Complex64, dtype.Float32, "", "(1+0i)", "imaginary"},
	} {
		from, to := of(t, test.from, "", ""), of(t, test.to, "", test.toAttrs)
		c, err := Compare(from, to, Values)
		got := ""
		if err == nil {
			var out []byte
			out, err = c.Apply(encode(t, test.from, test.in))
			got = format(test.to, out)
		}
		if err != nil {
			got = err.Error()
		}
		if got != test.want && (err == nil || !strings.Contains(got, test.want)) {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

// The elements that a conversion stores must decode to the original values, within half a step of
// the target.
func TestConversionKeepsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		types := []dtype.DType{dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, dtype.Int32, dtype.Float32, dtype.Float64}
		side := func(name string) *Meaning {
			m := &Meaning{Type: rapid.SampledFrom(types).Draw(t, name)}
			if rapid.Bool().Draw(t, "packed") {
				m.Scale, m.Offset = []float64{rapid.SampledFrom([]float64{0.01, 0.5, 1, 3, -2}).Draw(t, "scale")}, []float64{rapid.Float64Range(-10, 10).Draw(t, "offset")}
			}
			m.otherSign = isSigned(m.Type) && rapid.Bool().Draw(t, "unsigned")
			for range rapid.IntRange(0, 2).Draw(t, "missing") {
				b, _ := m.Type.EncodeValue(rapid.IntRange(0, 20).Draw(t, "no value"))
				m.addMissing(b)
			}
			m.Units = rapid.SampledFrom([]string{"K", "degC", "m"}).Draw(t, "units")
			return m
		}
		from, to := side("from"), side("to")
		c, err := Compare(from, to, Exact)
		if err != nil {
			return
		}
		element, _ := from.Type.EncodeValue(rapid.IntRange(0, 127).Draw(t, "element"))
		want := from.Value(element)
		if from.Units != to.Units {
			want += map[string]float64{"degC": 273.15, "K": -273.15}[from.Units]
		}
		out, err := c.Apply(element)
		if err != nil {
			return
		}
		got, step := to.Value(out), 1e-12
		switch {
		case isInteger(to.Type) && to.Scale != nil:
			step = math.Abs(to.Scale[0])/2 + 1e-9
		case to.Type == dtype.Float32:
			step = 1e-4
		default:
			step = 1e-9
		}
		if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > step {
			t.Fatalf("%v became %v, from %+v to %+v", want, got, from, to)
		}
	})
}

// Units must be converted as by udunits2, the library of the field.
func TestUnitsAsUdunits(t *testing.T) {
	program, err := exec.LookPath("udunits2")
	if err != nil {
		t.Skip("no program udunits2: install udunits-bin")
	}
	units := strings.Split("K|degC|degF|Celsius|degrees_celsius|m|mm|km|hPa|Pa|kPa|mbar|bar|atm|kg|g|mg|m s-1|km/h|knot|m/s|kg m-2 s-1|mm/day|mm d-1|g kg-1|kg/kg|"+
		"1|%|ppm|W m-2|W/m^2|J m**-2|MJ m-2|degree|radian|degrees_north|hour|min|days|s|umol m-2 s-1|mol m-3|nm|um|micrometer|kilometers|0.01 m|100 Pa|m2 s-2|K m-1|degC m-1|"+
		"L|ml|ha|V|mV|furlong|ft|inch|mile|decibar|millibar|hectopascal|psi|mmHg|inHg|tonnes|lb|yard|nautical_mile|micron|angstrom|hectares|acre|week|arcsecond|arcmin", "|")
	same, different := 0, 0
	for i, from := range units {
		for k := range 10 { // only some of each unit: every pair takes a process
			to := units[(i+1+k)%len(units)]
			if from == to || from == "furlong" || to == "furlong" {
				continue
			}
			out, _ := exec.Command(program, "-H", from, "-W", to).CombinedOutput()
			factor, shift, ok := conversionOf(from, to)
			text := string(out)
			if strings.Contains(text, "not convertible") || !strings.Contains(text, "x/") || strings.Contains(text, "reciprocal") {
				if different++; ok {
					t.Errorf("%q to %q: got %v x + %v, udunits2 says %s", from, to, factor, shift, text)
				}
				continue
			}
			same++
			want, found := udunitsLine(text)
			if !found || !ok || math.Abs(factor+shift-want) > 1e-5*math.Max(math.Abs(want), 1e-12) {
				t.Errorf("%q to %q: 1 becomes %v (%v), udunits2 says %s", from, to, factor+shift, ok, text)
			}
		}
	}
	t.Logf("%d pairs are convertible, %d are not", same, different)
	if same < 50 || different < 50 {
		t.Errorf("%d pairs are convertible, %d are not: want both", same, different)
	}
}

// udunitsLine returns the value of 1 in another unit, from the first line of udunits2: "    1 km =
// 1000 m".
func udunitsLine(text string) (float64, bool) {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	_, right, found := strings.Cut(line, " = ")
	if !found {
		return 0, false
	}
	number, _, _ := strings.Cut(strings.TrimSpace(right), " ")
	x, err := strconv.ParseFloat(number, 64)
	return x, err == nil
}

// Lists of texts are valid attributes: HDF5 has lists of one text, and lists of the names of flags.
func TestListsOfTexts(t *testing.T) {
	for name, pair := range map[string][2]string{
		"units": {`"units":["K"]`, `"units":["m"]`}, "no time": {`"units":["days since 2000-01-01"]`, `"units":["hours since 2000-01-01"]`},
		"flags":         {`"flag_values":[0,1],"flag_meanings":["land","sea"]`, `"flag_values":[0,1],"flag_meanings":["sea","land"]`},
		"standard name": {`"standard_name":["air_temperature"]`, `"standard_name":"sea_temperature"`}, "sign": {`"_Unsigned":["true"]`, `"_Unsigned":["false"]`},
	} {
		a, b := of(t, dtype.Int8, "", pair[0]), of(t, dtype.Int8, "", pair[1])
		c, err := Compare(a, b, Exact)
		if err == nil && c == nil {
			t.Errorf("%s: %s is the same as %s", name, pair[0], pair[1])
		}
		if c, err := Compare(a, of(t, dtype.Int8, "", strings.NewReplacer(`:["land","sea"]`, `:"land sea"`, `:["`, `:"`, `"]`, `"`).Replace(pair[0])), Exact); c != nil || err != nil {
			t.Errorf("%s: a list of one text is another one: %v", name, err)
		}
	}
}

// A valid range must be compared as values, in the units of the target.
func TestDescribeValid(t *testing.T) {
	for name, test := range map[string]struct {
		from, to         dtype.DType
		fromAttrs, attrs string
		want             string // part of it, "" for nothing
	}{
		"the same":          {dtype.Int16, dtype.Int16, `"valid_range":[0,50]`, `"valid_min":0,"valid_max":50`, ""},
		"neither":           {dtype.Int16, dtype.Int16, "", "", ""},
		"wider":             {dtype.Int16, dtype.Int16, `"valid_range":[0,100]`, `"valid_range":[0,50]`, "are 0 to 100, and stay 0 to 50 in A:"},
		"one limit":         {dtype.Int16, dtype.Int16, `"valid_min":0`, `"valid_range":[0,50]`, "are at least 0, and stay 0 to 50 in A:"},
		"only one has it":   {dtype.Float32, dtype.Float32, `"valid_max":7.5`, "", "are at most 7.5, and stay not limited in A:"},
		"the array has it":  {dtype.Float32, dtype.Float32, "", `"valid_max":7.5`, "are not limited, and stay at most 7.5 in A:"},
		"packed, the same":  {dtype.Int16, dtype.Int16, `"valid_range":[0,100],"scale_factor":0.5`, `"valid_range":[0,50]`, ""},
		"another packing":   {dtype.Int16, dtype.Int16, `"valid_range":[0,100],"scale_factor":0.5`, `"valid_range":[0,100]`, "are 0 to 50, and stay 0 to 100 in A:"},
		"a negative factor": {dtype.Int16, dtype.Int16, `"valid_range":[-8,0],"scale_factor":-1`, `"valid_range":[0,8]`, ""},
		"units":             {dtype.Float32, dtype.Float64, `"valid_max":10,"units":"degC"`, `"valid_max":283.15,"units":"K"`, ""},
		"other units":       {dtype.Float32, dtype.Float64, `"valid_max":10,"units":"degC"`, `"valid_max":10,"units":"K"`, "are at most 283.15, and stay at most 10 in A:"},
		"unsigned":          {dtype.Int8, dtype.Uint8, `"valid_range":[0,-2],"_Unsigned":"true"`, `"valid_range":[0,254]`, ""},
		"times":             {dtype.Int32, dtype.Int32, `"valid_max":48,"units":"hours since 2000-01-01"`, `"valid_max":1,"units":"days since 2000-01-02"`, ""},
		"no range":          {dtype.Int16, dtype.Int16, `"valid_range":[0,1,2]`, "", ""},
		"many scales":       {dtype.Int16, dtype.Int16, `"valid_max":8,"scale_factor":[1,2]`, `"scale_factor":[1,2]`, ""},
	} {
		got := DescribeValid(of(t, test.from, "", test.fromAttrs), of(t, test.to, "", test.attrs), "A")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
