//go:build parquet

package parquet

import (
	"encoding/binary"
	"maps"
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"drx/dataset/cftime"
	"drx/dtype"
)

// timeUnits are the units of timestamps that are written, the usual one first.
var timeUnits = []arrow.TimeUnit{arrow.Microsecond, arrow.Nanosecond}

// asTimestamps makes a coordinate of times in memory one of whole units of a timestamp, with
// missing values as the least int64. It reports false, and changes nothing, if the times are not in
// the calendar of the world or are no whole numbers of such units; they stay numbers with units.
func (o *outColumn) asTimestamps() bool {
	units, _ := o.info.Attrs["units"].(string)
	calendar, _ := o.info.Attrs["calendar"].(string)
	if o.held == nil || o.info.DType == dtype.Bool || !cftime.IsTime(units) {
		return false
	}
	from, err := cftime.ParseUnits(units, calendar)
	if err != nil || from.Calendar != cftime.Standard && from.Calendar != cftime.Proleptic {
		return false
	}
	for _, unit := range timeUnits {
		to, err := cftime.ParseUnits(unitNames[unit]+" since 1970-01-01", cftime.Proleptic.String())
		if err != nil {
			return false
		}
		if elements, ok := o.timesIn(from, to); ok {
			o.info.Attrs = maps.Clone(o.info.Attrs)
			o.info.Attrs["units"] = unitNames[unit] + " since 1970-01-01"
			o.info.DType, o.info.Fill, o.held = dtype.Int64, markOf(dtype.Int64), elements
			return true
		}
	}
	return false
}

// unit returns the unit that asTimestamps has chosen.
func (o *outColumn) unit() arrow.TimeUnit {
	for _, unit := range timeUnits {
		if o.info.Attrs["units"] == unitNames[unit]+" since 1970-01-01" {
			return unit
		}
	}
	return timeUnits[0]
}

// timesIn returns the times in other units. ok is false if one is no whole number of them.
func (o *outColumn) timesIn(from, to cftime.Units) (elements []byte, ok bool) {
	t := o.info.DType
	for p := o.held; len(p) > 0; p = p[t.Size():] {
		n := int64(math.MinInt64)
		if element := p[:t.Size()]; !o.isMissing(element) {
			at, err := from.Time(t.Float64(element))
			if !t.IsFloat() {
				i, tooLarge := strconv.ParseInt(t.Format(element), 10, 64)
				if tooLarge != nil {
					return nil, false
				}
				at, err = from.TimeOf(i)
			}
			if err != nil {
				return nil, false
			}
			if n, ok = to.ValueInt(at); !ok {
				return nil, false
			}
		}
		elements = binary.LittleEndian.AppendUint64(elements, uint64(n))
	}
	return elements, true
}
