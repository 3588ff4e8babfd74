package main

import (
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"drx"
	"drx/axial"
	"drx/nd"
)

func newInfo() *cobra.Command {
	var all bool
	var version int
	cmd := &cobra.Command{
		Use:     "info ARRAY | FOLDER",
		Short:   "Show the type, shape, history and size of an array, or a dataset",
		GroupID: groupInspect,
		Long: `Show an array's element type, bounds, chunks, the share that is written, its size on disk, its
attributes, and its history: the expansion records from which the position of every chunk in
the file is computed. Only both ends of a long history are shown; --all shows it whole.

--at-version shows the array as it was after an earlier commit; see log for the commits.

Of a folder, which is a dataset, info shows the dimensions with the first and the last value of
their coordinates, the variables and the attributes, as ncdump -h does for a NetCDF file.`,
		Example: `  drx info radar
  drx info weather
  drx info radar --json
  drx info radar --at-version 3`,
		Args:              exactly("ARRAY"),
		ValidArgsFunction: completeOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if isDataset(args[0]) {
				if cmd.Flags().Changed("at-version") {
					return usagef("info: --at-version is for an array; each variable of a dataset has commits of its own")
				}
				return printDataset(cmd, args[0])
			}
			return withVersion(cmd, args[0], version, func(a *drx.Array) error {
				i, err := gatherInfo(a)
				if err != nil {
					return err
				}
				if wantsJSON(cmd) {
					return printJSON(cmd.OutOrStdout(), i)
				}
				return i.print(cmd.OutOrStdout(), all)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "show all records of a long history")
	addVersionFlag(cmd, &version)
	return cmd
}

// An arrayInfo is the description of an array. Other programs rely on its JSON. Slot and the fields
// whose JSON name begins with bytes are in bytes; extents and bounds are in elements, or in chunks for
// those of the grid.
type arrayInfo struct {
	Name        string                     `json:"name"`
	DType       string                     `json:"dtype"`
	Rank        int                        `json:"rank"`
	Shape       []int                      `json:"shape"`
	Lo          []int                      `json:"lo"`
	Hi          []int                      `json:"hi"`
	Dims        []string                   `json:"dims"`
	Chunk       []int                      `json:"chunk"`
	Order       drx.ElementOrder           `json:"order"`
	Fill        json.RawMessage            `json:"fill"`
	Align       int                        `json:"align"` // 0 for none
	Slot        int64                      `json:"slot"`
	Grid        []int                      `json:"grid"`    // extents, in chunks
	GridLo      []int                      `json:"grid_lo"` // low bounds, in chunks
	Chunks      int64                      `json:"chunks"`
	Written     int64                      `json:"written"`
	Utilisation float64                    `json:"utilisation"`
	Logical     int64                      `json:"bytes_logical"`
	OnDisk      int64                      `json:"bytes_on_disk"`
	Log         int64                      `json:"bytes_log"`
	Table       int64                      `json:"bytes_table"`
	Journal     int64                      `json:"bytes_journal"`
	Commits     int                        `json:"commits"`
	Segments    int                        `json:"segments"`
	Records     []recordInfo               `json:"records"`
	Attrs       map[string]json.RawMessage `json:"attrs"`
}

// A recordInfo is an expansion record.
type recordInfo struct {
	Dim          int          `json:"dim"`
	Side         string       `json:"side"`
	Start        int          `json:"start"`
	Number       axial.Number `json:"number"`
	Coefficients []int        `json:"coefficients"`
}

func gatherInfo(a *drx.Array) (*arrayInfo, error) {
	u, err := a.Usage()
	if err != nil {
		return nil, err
	}
	grid := a.Grid()
	i := &arrayInfo{
		Name: a.Name(), DType: a.DType().String(), Rank: a.Rank(), Shape: a.Shape(), Dims: a.Dims(),
		Chunk: a.ChunkShape(), Order: a.Layout().ElementOrder, Fill: a.DType().ToJSON(a.FillValue()), Align: a.Layout().Align, Slot: a.Layout().SlotBytes,
		Grid: grid.Shape(), GridLo: grid.Lo(), Chunks: u.Chunks, Written: u.Written, Utilisation: u.Utilisation,
		Logical: u.LogicalBytes, OnDisk: u.DataBytes, Log: u.LogBytes, Table: u.TableBytes, Journal: u.JournalBytes,
		Commits: u.Commits, Segments: grid.Segments(), Records: []recordInfo{}, Attrs: a.Attrs(),
	}
	i.Lo, i.Hi = lowHigh(a.Bounds())
	for _, r := range grid.Records() {
		coefficients := slices.Grow(slices.Clone(r.Coef), i.Rank)[:i.Rank] // 0 for dimensions added later
		i.Records = append(i.Records, recordInfo{r.Dim, r.Side.String(), r.Start, r.Number, coefficients})
	}
	return i, nil
}

// bounds returns the bounds as a section.
func (i *arrayInfo) bounds() nd.Section { return nd.Box(i.Lo, i.Hi) }
