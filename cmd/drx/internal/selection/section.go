package selection

import (
	"fmt"
	"math"
	"slices"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/nd"
)

// parseSection parses --section and resolves it against bounds, which lie within the array's. Empty
// text selects all of them.
func parseSection(a *drx.Array, bounds nd.Section, text string) (nd.Section, error) {
	var sec nd.Section
	if text != "" {
		var err error
		if sec, err = nd.ParseSection(text); err != nil {
			return nil, cli.AsWrongUsage(cli.NameDim(a, err))
		}
	}
	lo, hi := cli.LowHigh(bounds)
	given := sec
	sec, err := sec.Resolve(lo, hi)
	if err != nil {
		return nil, cli.Usagef("%s: section %s: %w%s%s", a.Name(), text, cli.NameDim(a, err), hiddenHint(a, bounds, given), LastHint(bounds, given))
	}
	return sec, nil
}

// hiddenHint returns a text for the error about a section outside of bounds, if the array itself
// has those indices but its dataset does not show them; otherwise "".
func hiddenHint(a *drx.Array, bounds, sec nd.Section) string {
	if _, err := Resolve(a, sec); err != nil || slices.Equal(bounds, a.Bounds()) {
		return ""
	}
	return fmt.Sprintf(": the dimension of the dataset ends there, although the array has %v; see 'drx help datasets'", a.Bounds())
}

// LastHint returns a text for the error about a section outside of bounds, if a range of it has a
// negative index where there are none, as if it counted from the end; otherwise "".
func LastHint(bounds, sec nd.Section) string {
	for d, r := range sec {
		if d < len(bounds) && (r.Lo < 0 && r.Lo != math.MinInt || r.Hi < 0) && bounds[d].Lo >= 0 && bounds[d].Len() > 0 {
			return fmt.Sprintf("; indices do not count from the end: the last one is %d", bounds[d].Hi-1)
		}
	}
	return ""
}

// Resolve resolves a section against the bounds.
func Resolve(a *drx.Array, sec nd.Section) (nd.Section, error) {
	lo, hi := cli.LowHigh(a.Bounds())
	return sec.Resolve(lo, hi)
}
