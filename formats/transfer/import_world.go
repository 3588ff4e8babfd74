package transfer

import (
	"strings"

	"drx/dataset/meaning"
)

// noteWorld says which axes of an image of FITS get no coordinate.
func (o *planner) noteWorld(v plannedVar) {
	_, others := meaning.WorldAxes(v.info.Attrs, len(v.info.Shape))
	if len(others) == 0 || o.Note == nil {
		return
	}
	o.Note(inVariable(v.info) + "without coordinates for the axes " + strings.Join(others, " and ") +
		", whose values do not depend evenly on one index: the attributes CTYPE1, CRVAL1 and others say where its elements lie")
}
