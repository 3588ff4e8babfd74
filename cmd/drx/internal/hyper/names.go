package hyper

import (
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/display"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/selection"
)

const (
	figureSide = display.FigureSide
	goodSide   = display.GoodSide
	groupData  = cli.GroupData
)

// The names by which the files of hyper know what they share with other verbs.
type (
	completer = cli.Completer
)

var (
	addJSONFlag     = cli.AddJSONFlag
	asUsageError    = cli.AsUsageError
	byteSize        = cli.ByteSize
	checkExtension  = cli.CheckExtension
	checkNoArray    = datasets.CheckNoArray
	completeArrays  = cli.CompleteArrays
	completeFlag    = cli.CompleteFlag
	confirm         = cli.Confirm
	errCountReached = cli.ErrCountReached
	exactly         = cli.Exactly
	fieldsOf        = selection.FieldsOf
	formatInts      = cli.FormatInts
	isQuiet         = cli.IsQuiet
	lowHigh         = cli.LowHigh
	parseBands      = display.ParseBands
	parseBytes      = cli.ParseBytes
	parseDim        = cli.ParseDim
	printJSON       = cli.PrintJSON
	printable       = cli.Printable
	rasterSize      = display.RasterSize
	replaceFile     = outfile.Replace
	usagef          = cli.Usagef
	wantsJSON       = cli.WantsJSON
	withArray       = arrays.With
	withOpened      = arrays.WithOptions
)

// temporary are the arrays that are removed if the program is interrupted before they are complete.
var temporary unfinishedArrays

type unfinishedArrays struct{}

func (unfinishedArrays) addArray(name string)  { outfile.Temporary.AddArray(name) }
func (unfinishedArrays) doneArray(name string) { outfile.Temporary.DoneArray(name) }

// usageError marks an error of the command line itself.
type usageError struct{ error }

// Unwrap returns the error as one that the program takes for one of the command line.
func (e usageError) Unwrap() error { return cli.AsWrongUsage(e.error) }
