package cli

import "drx/formats"

// NamesOf returns the names of the formats that use accepts.
func NamesOf(use func(f formats.Format) bool) (names []string) {
	for _, f := range formats.Formats() {
		if use(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// CanWrite reports whether drx writes files in a format.
func CanWrite(f formats.Format) bool { return f.Create != nil || f.CreatePath != nil }
