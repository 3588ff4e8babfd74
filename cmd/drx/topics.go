package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"drx/formats"
)

// A topic is a text of the help that belongs to several verbs.
type topic struct{ name, short, text string }

// newTopic returns a command without an action, which cobra shows as a topic of the help.
func newTopic(t topic) *cobra.Command {
	return &cobra.Command{Use: t.name, Short: t.short, Long: t.text}
}

// topics returns the topics of the help.
func topics() []topic {
	return []topic{
		{"sections", "How to write parts of arrays", sectionsTopic},
		{"selection", "How to select by coordinates and labels", selectionTopic},
		{"datasets", "Folders of arrays that share dimensions", datasetsTopic},
		{"durability", "What is on disk, and when; crashes and damage", durabilityTopic},
		{"exit-codes", "Exit codes, outputs and errors", exitCodesTopic},
		{"formats", "Files that are read and written", formatsTopic()},
		{"environment", "Environment variables", environmentTopic},
	}
}

const sectionsTopic = `A section is a box of elements. It is written as one range per dimension, separated by commas:

  2:6        indices 2, 3, 4 and 5: the end does not belong to the range
  3:9:2      indices 3, 5 and 7, with a step
  7          one index
  :          the whole dimension
  2:  :6     from 2 on; up to 5

A negative index is an index below zero, where an array has grown on its low side. It does not
count from the end. Ranges must lie within the bounds, which info shows.

  drx read radar --section :,383,350
  drx read radar --section 0:24:6,-10:10,:

Dimensions are given by number, beginning with 0, or by name. --at names them, and needs only
some: time=12,y=0:256. --sel selects by coordinates and labels, see
'drx help selection'.`

const selectionTopic = `read, stats, view, fill, copy, cut, write and export select elements by indices, with --section
or --at, or by what the indices are called, with --sel. An index is called by its label, if the
dimension has labels, and otherwise by its value of the coordinate: an array of rank 1 in the same
folder that has the name of the dimension. append --coords gives a label to every index that it
adds; labels --set-from sets them from a file.

The conditions of --sel are separated by commas:

  store=3,lat=50.2                    one label, one value
  store=3|4                           several
  time=2013-01-01..2013-12-31         a range by value; both ends belong to it
  time=2013-06-01..                   a range that is open at one end: everything above
  lat=60..50                          the same as 50..60 if the values of lat descend
  "shop, city"="a|b"                  quotes, where a label contains , = | " or ..

A number selects the index with the nearest value, of two the larger one; with --method exact
the indices with that value. A date selects all times of the year, month, day, hour or minute that
it names, as 2013-01; with --method nearest the one time nearest to its beginning. The last day,
month or year of a range of times belongs to it as a whole. Times are those of the calendar of
the coordinate; without a zone as the coordinate has them.

Labels are text: 7 and 07 are two labels. A range of labels goes by value, too, if all labels are
numbers or all are dates. In a dimension without labels and coordinate give indices.
docs/LABELS.md and docs/DATASETS.md say more.`

const datasetsTopic = `A dataset is a folder of arrays, its variables, that share dimensions by name. An array of rank 1
with the name of its dimension is the coordinate: numbers, or times with units such as "hours
since 1900-01-01". Folders in the folder are groups.

  drx create weather --dataset                                   makes an empty dataset
  drx create weather/time --dtype int32 --shape 0 --dims time    its coordinate
  drx attr weather/time "units=days since 2024-01-01"            what its numbers mean
  drx create weather/rain --dtype float32 --shape 0,50,60 --dims time,y,x
  drx extend weather --dim time --by 2                           all variables, then the coordinate
  drx fill weather/time --at time=1 --value 1                    the second day
  drx info weather                                               dimensions, variables, attributes
  drx read weather/rain --sel time=2024-01-02

Variables are ordinary arrays. Readers see of a dimension what its coordinate has, or without one
what all variables have. A variable that was grown alone, by append or extend, is longer than
that; extend of the dataset lets the others grow as far. docs/DATASETS.md says more.`

const durabilityTopic = `A verb that changes an array commits its changes together when it ends. append and reserve commit
each file. After a crash of the program or of the machine at any moment, the array is as it was at
some commit, either the last one that had returned or the one in progress; that includes elements
that were overwritten. The next writer needs no repair.

One process at a time changes an array; others fail, or wait with --wait. Several reserve commands
may append at the same time. Readers need no locks and see whole commits.

Every chunk has a checksum, which is checked when the chunk is read. Damage is an error that names
the chunk, never data. verify checks all chunks, recover saves the intact ones. cp copies all files
of an array that are needed. Other programs must copy A.xmd, A.xta, A.xck and A.xpm, and the
journals if there are any, while nothing writes. A.xjl is the journal of a writer, A.xjl0 to
A.xjl63 are those of reserve; an empty one stays until the next verb that writes, and means nothing.
A.xst is a checkpoint of a long log, which only saves time, and may be removed or left out.

An array can be read as it was after an earlier commit: --at-version of info, read, labels and
stats, with the numbers of log. Elements that were overwritten or dropped since are an error, since
old ones are not kept. Programs name a commit by Snapshot, in Python commit=.

Programs in Go may choose less: see Options.Durability in 'go doc drx'.`

const exitCodesTopic = `The exit codes of drx:

  0     success
  1     failure, or damage that verify or recover has found
  2     the command line is wrong
  130   interrupted

An error is one line on the error output, which begins with "drx:". Results go to the output, and
notes and progress to the error output. With --json the result is JSON. After an error or an
interruption an array is as it was after its last commit, and files that -o names are as they were.`

const environmentTopic = `The variables that drx reads:

  NO_COLOR    if set to anything, drawings in the terminal have no colours
  TERM        decides whether the terminal has colours; dumb has none
  COLORTERM   truecolor or 24bit: the terminal has 24-bit colours
  GOMAXPROCS  the number of processor cores to use
  DRX_BRIDGE  the file of the program drx-bridge, see 'drx help formats'
  DRX_BRIDGE_TIMEOUT
              how long drx-bridge may do nothing before it counts as hung, as in 1m (default: 8s)
  GOMEMLIMIT  a soft limit on the memory of the program, without mapped files

There is no configuration file.`

// formatsTopic lists the registered formats.
func formatsTopic() string {
	var b strings.Builder
	b.WriteString("import, append, reserve and write read these files, export writes those with a w:\n\n")
	for _, f := range formats.Formats() {
		use := [2]string{" ", " "}
		if f.Open != nil {
			use[0] = "r"
		}
		if f.Writes() {
			use[1] = "w"
		}
		fmt.Fprintf(&b, "  %-8s %s%s ", f.Name, use[0], use[1])
		const begin, width = 12, 92
		column := begin
		for _, ext := range f.Extensions {
			if column+1+len(ext) > width {
				fmt.Fprintf(&b, "\n%*s", begin, "")
				column = begin
			}
			b.WriteString(" " + ext)
			column += 1 + len(ext)
		}
		b.WriteString("\n")
	}
	b.WriteString(`
A format is recognised by the first bytes of the file, a folder by the files in it, a table by its
extension. Formats of large libraries are read and written by the program drx-bridge, which drx finds
beside itself or on the PATH: 'make bridge' builds it, with the libraries that are installed. If a
library crashes, hangs or takes more memory than --memory allows on a file, drx-bridge ends, and
nothing else.

For append and write the array must have all values of the file's element type, as int16 has those
of uint8; --clip rounds and limits others. import makes an array of the file's type. A picture is
an array of rows and columns, with a third dimension if it has colours. A table of numbers is
float64, and missing values in it are NaN. FILE - is standard input; drx-bridge reads files only.

append --coords reads CSV with headings and text, and columns of Parquet and others, see
'drx help selection'. read writes .npy (-o), which NumPy reads, a table or CSV. view and map
draw PNG; view --animate GIF and animated PNG.

An array itself is raw little-endian numbers in A.xta, chunk after chunk. The format is open:
internal/metalog/FORMAT.md describes every byte, and testdata/read_xta.py reads it. docs/FORMATS.md
says what becomes of types, attributes and coordinates.`)
	return b.String()
}
