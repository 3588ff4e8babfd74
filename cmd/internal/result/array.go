package result

import (
	"encoding/json"
	"slices"

	"drx"
	"drx/axial"
)

// An Array is the description of an array. Other programs rely on its JSON. Slot and the fields
// whose JSON name begins with bytes are in bytes; extents and bounds are in elements, those of the
// grid in chunks. Codec, WrittenBytes (the size of the elements of written chunks) and Stored
// (their size after compression) are left out if chunks are not compressed, unless Recompress is
// true: a recompression is running or was interrupted.
type Array struct {
	Name         string                     `json:"name"`
	DType        string                     `json:"dtype"`
	Rank         int                        `json:"rank"`
	Shape        []int                      `json:"shape"`
	Lo           []int                      `json:"lo"`
	Hi           []int                      `json:"hi"`
	Dims         []string                   `json:"dims"`
	Chunk        []int                      `json:"chunk"`
	Order        drx.ElementOrder           `json:"order"`
	Fill         json.RawMessage            `json:"fill"`
	Align        int                        `json:"align"` // 0 for none
	Slot         int64                      `json:"slot"`
	Codec        string                     `json:"codec,omitempty"`
	Recompress   bool                       `json:"recompressing,omitempty"`
	Grid         []int                      `json:"grid"`    // extents, in chunks
	GridLo       []int                      `json:"grid_lo"` // low bounds, in chunks
	Chunks       int64                      `json:"chunks"`
	Written      int64                      `json:"written"`
	Utilisation  float64                    `json:"utilisation"`
	Logical      int64                      `json:"bytes_logical"`
	WrittenBytes int64                      `json:"bytes_written,omitempty"`
	Stored       int64                      `json:"bytes_stored,omitempty"`
	OnDisk       int64                      `json:"bytes_on_disk"`
	Log          int64                      `json:"bytes_log"`
	Table        int64                      `json:"bytes_table"`
	Journal      int64                      `json:"bytes_journal"`
	Commits      int                        `json:"commits"`
	Segments     int                        `json:"segments"`
	Records      []Record                   `json:"records"`
	Attrs        map[string]json.RawMessage `json:"attrs"`
}

// A Record is an expansion record.
type Record struct {
	Dim          int          `json:"dim"`
	Side         string       `json:"side"`
	Start        int          `json:"start"`
	Number       axial.Number `json:"number"`
	Coefficients []int        `json:"coefficients"`
}

// NewArray describes an array. It returns the errors of drx.Array.Usage.
func NewArray(a *drx.Array) (*Array, error) {
	u, err := a.Usage()
	if err != nil {
		return nil, err
	}
	grid := a.Grid()
	i := &Array{
		Name: a.Name(), DType: a.DType().String(), Rank: a.Rank(), Shape: a.Shape(), Dims: a.Dims(),
		Chunk: a.ChunkShape(), Order: a.Layout().ElementOrder, Fill: a.DType().ToJSON(a.FillValue()), Align: a.Layout().Align, Slot: a.Layout().SlotBytes,
		Grid: grid.Shape(), GridLo: grid.Lo(), Chunks: u.Chunks, Written: u.Written, Utilisation: u.Utilisation,
		Logical: u.LogicalBytes, OnDisk: u.DataBytes, Log: u.LogBytes, Table: u.TableBytes, Journal: u.JournalBytes,
		Commits: u.Commits, Segments: grid.Segments(), Records: []Record{}, Attrs: a.Attrs(),
	}
	i.Recompress = a.Recompressing()
	if c := a.Layout().Codec; c != "none" || i.Recompress {
		i.Codec, i.WrittenBytes, i.Stored = c, u.WrittenBytes, u.StoredBytes
	}
	i.Lo, i.Hi = a.Bounds().Bounds()
	for _, r := range grid.Records() {
		coefficients := slices.Grow(slices.Clone(r.Coef), i.Rank)[:i.Rank] // 0 for dimensions added later
		i.Records = append(i.Records, Record{r.Dim, r.Side.String(), r.Start, r.Number, coefficients})
	}
	return i, nil
}
