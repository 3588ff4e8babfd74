package scaled

import (
	"fmt"
	"math"
)

// FormatValue formats a value with six digits, an integer with all its digits.
func FormatValue(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return fmt.Sprintf("%.0f", v+0) // no minus before 0
	}
	return fmt.Sprintf("%.6g", v)
}
