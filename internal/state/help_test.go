package state_test

import "drx/internal/state/statetest"

// Short names of records, and a check of errors.
var (
	header, high, low, addDim = statetest.Header, statetest.High, statetest.Low, statetest.AddDim
	setAttr, delAttr          = statetest.SetAttr, statetest.DelAttr
	apply, applyTo            = statetest.Apply, statetest.ApplyTo
	wantState, wantError      = statetest.Want, statetest.WantError
)

// maxPadding is the most steps of a cubical extension.
const maxPadding = 1 << 20
