// Package demodata contains a sequence of real weather radar pictures, so that the tour of the
// command line needs no download.
//
// Each image is a 16-bit grey picture of 765 rows, north first, and 700 columns, west first, of 1
// km by 1 km. A sample is the rain of the five minutes before the time in the image's name, in
// hundredths of a millimetre; Missing marks pixels that no radar covers. Source, licence and
// conversion are described in README.md.
package demodata

import (
	"embed"
	"slices"
)

// Images holds the files radar_HHMM.png, HHMM being the time of day in UTC.
//
//go:embed *.png
var Images embed.FS

// The properties of the images that Names lists.
const (
	Rows    = 765   // rows of an image, from north to south
	Columns = 700   // columns of an image, from west to east
	Step    = 10    // minutes from one image to the next
	Scale   = 0.01  // millimetres of rain per count
	Missing = 65535 // the sample that stands for no data
)

// Names returns the names of the images in the order of time.
func Names() []string {
	entries, err := Images.ReadDir(".")
	if err != nil { // the embedded root always exists
		return nil
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	slices.Sort(names)
	return names
}
