package display

import (
	"strconv"
	"strings"

	"drx/cmd/drx/internal/cli"
)

// ParseBands parses --rgb: three indices.
func ParseBands(text string) ([]int, error) {
	fields := strings.Split(text, ",")
	rgb := make([]int, len(fields))
	var err error
	for i, field := range fields {
		if rgb[i], err = strconv.Atoi(strings.TrimSpace(field)); err != nil {
			break
		}
	}
	if err != nil || len(rgb) != 3 {
		return nil, cli.Usagef("--rgb %s: want three indices, for red, green and blue: 29,19,9", text)
	}
	return rgb, nil
}
