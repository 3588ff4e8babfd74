package picture

import "drx/internal/plot"

// Sizes of text, in pixels per em.
const (
	titleSize  = 22
	panelSize  = 16
	numberSize = 15
	smallSize  = 11 // chunk numbers in small cells
	labelSize  = 13 // labels and legend
)

// newFonts returns the faces of the texts of a chunk map.
func newFonts() (plot.Fonts, error) {
	return plot.NewFonts(titleSize, panelSize, numberSize, smallSize, labelSize)
}
