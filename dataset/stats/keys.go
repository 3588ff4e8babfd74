package stats

import "math"

// keyOf returns the key of a number.
func keyOf[T number](v T) uint64 {
	switch x := any(v).(type) {
	case float64:
		b := math.Float64bits(x + 0) // +0 makes zeros equal
		return b ^ (uint64(int64(b)>>63) | 1<<63)
	case int64:
		return uint64(x) ^ 1<<63
	}
	return uint64(v)
}

// numberOf returns the number of a key, as a float64.
func numberOf[T number](key uint64) float64 {
	var v T
	switch any(v).(type) {
	case float64:
		if key>>63 == 0 {
			return math.Float64frombits(^key)
		}
		return math.Float64frombits(key &^ (1 << 63))
	case int64:
		return float64(int64(key ^ 1<<63))
	}
	return float64(key)
}
