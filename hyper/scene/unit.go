package scene

import "strings"

// LengthUnit returns nm or um for the usual spellings of these units, and "" for others.
func LengthUnit(text string) string {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "nm", "nanometer", "nanometers", "nanometre", "nanometres":
		return "nm"
	case "um", "µm", "μm", "micrometer", "micrometers", "micrometre", "micrometres", "micron", "microns":
		return "um"
	}
	return ""
}
