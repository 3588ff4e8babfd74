package metalog

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/state"
	"drx/nd"
)

// changed returns a good header of rank 2 after a change.
func changed(change func(h *state.Header)) state.Record {
	r := header([]int{2, 3}, 10, 12)
	change(r.Header)
	return r
}

func TestHeadersThatAreRefused(t *testing.T) {
	for what, c := range map[string]struct {
		change func(h *state.Header)
		want   error
	}{
		"version 0": {func(h *state.Header) { h.Version = 0 }, state.ErrCorrupt},
		"version 3": {func(h *state.Header) { h.Version = 3 }, state.ErrVersion},
		"dtype":     {func(h *state.Header) { h.DType = "float65" }, dtype.ErrDType},
		"no dtype":  {func(h *state.Header) { h.DType = "" }, dtype.ErrDType},
		"order":     {func(h *state.Header) { h.Order = "shell" }, state.ErrVersion},
		"curve too long": {func(h *state.Header) {
			h.DType, h.Order, h.Chunk, h.Lo, h.Hi = "uint8", "hilbert", []int{1 << 16, 1 << 15}, []int{0, 0}, []int{1, 1}
		}, nd.ErrOverflow},
		"fill":                  {func(h *state.Header) { h.Fill = json.RawMessage(`"red"`) }, dtype.ErrDType},
		"no fill":               {func(h *state.Header) { h.Fill = nil }, dtype.ErrDType},
		"rank 0":                {func(h *state.Header) { h.Lo, h.Hi, h.Chunk = nil, nil, nil }, nd.ErrRank},
		"rank 1 and 2":          {func(h *state.Header) { h.Lo = []int{0} }, nd.ErrRank},
		"chunk rank":            {func(h *state.Header) { h.Chunk = []int{2, 3, 4} }, nd.ErrRank},
		"names":                 {func(h *state.Header) { h.Dims = []string{"x"} }, nd.ErrRank},
		"same names":            {func(h *state.Header) { h.Dims = []string{"x", "x"} }, nd.ErrRank},
		"name no JSON can hold": {func(h *state.Header) { h.Dims = []string{"x", "\xff"} }, state.ErrName},
		"huge rank": {func(h *state.Header) {
			h.Lo, h.Hi, h.Chunk = make([]int, 1000), make([]int, 1000), slices.Repeat([]int{1}, 1000)
		}, nd.ErrRank},
		"negative extent":  {func(h *state.Header) { h.Hi[1] = -1 }, nd.ErrBounds},
		"negative chunk":   {func(h *state.Header) { h.Chunk[0] = -2 }, nd.ErrBounds},
		"zero chunk":       {func(h *state.Header) { h.Chunk[0] = 0 }, nd.ErrBounds},
		"negative align":   {func(h *state.Header) { h.Align = -1 }, nd.ErrBounds},
		"huge align":       {func(h *state.Header) { h.Align = math.MaxInt }, nd.ErrBounds},
		"huge chunk":       {func(h *state.Header) { h.Chunk[0] = state.MaxChunkBytes }, nd.ErrOverflow},
		"chunk product":    {func(h *state.Header) { h.Chunk = []int{math.MaxInt / 4, math.MaxInt / 4} }, nd.ErrOverflow},
		"extent":           {func(h *state.Header) { h.Lo[0], h.Hi[0] = math.MinInt+9, math.MaxInt-9 }, nd.ErrOverflow},
		"chunk beyond int": {func(h *state.Header) { h.Hi[0] = math.MaxInt }, nd.ErrOverflow},
		"chunk below int":  {func(h *state.Header) { h.Lo[0], h.Hi[0] = math.MinInt, math.MinInt }, nd.ErrOverflow},
		"elements":         {func(h *state.Header) { h.Hi = []int{1 << 40, 1 << 40} }, nd.ErrOverflow},
		"bytes":            {func(h *state.Header) { h.Hi = []int{1 << 31, 1 << 31} }, nd.ErrOverflow},
		"table bytes":      {func(h *state.Header) { h.DType, h.Chunk, h.Hi = "int8", []int{1, 1}, []int{1 << 31, 1 << 29} }, nd.ErrOverflow},
	} {
		r := changed(c.change)
		_, err := (*state.State)(nil).Apply(r)
		wantError(t, err, c.want, what)
		// A log with the same record is damaged, unless the record is of a later version.
		text, err := encodeCommit([]state.Record{r})
		if err != nil {
			t.Fatal(err)
		}
		if what == "name no JSON can hold" || what == "no fill" {
			continue // JSON cannot represent these
		}
		_, _, err = ReadLog(newFile(t, line(nil, string(text))))
		wantError(t, err, c.want, what, "in a log")
		if c.want != state.ErrVersion {
			wantError(t, err, state.ErrCorrupt, what, "in a log")
		}
	}
}
