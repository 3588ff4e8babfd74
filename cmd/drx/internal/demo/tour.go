package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"drx"
	"drx/cmd/drx/demodata"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/display"
	"drx/dtype"
	"drx/internal/fileset"
	"drx/nd"
)

// A tour is one run of drx demo.
type tour struct {
	out    io.Writer
	dir    string
	screen display.Screen
	images images
	a      *drx.Array
	step   int
	before fingerprint // of the bytes stored before the array grew in space
}

func newTour(out io.Writer, dir string) (*tour, error) {
	s, err := display.NewScreen(out, 0)
	if err != nil {
		return nil, err
	}
	all, err := readImages()
	return &tour{out: out, dir: dir, screen: s, images: all}, err
}

// run runs the steps of the tour.
func (t *tour) run(ctx context.Context) (err error) {
	fmt.Fprintf(t.out, "Rain over the Netherlands, 26 August 2010, %s to %s UTC: %d radar pictures of %d x %d km.\n"+
		"Source: KNMI, CC BY 4.0.\n", clock(0), clock(len(t.images)-1), len(t.images), demodata.Rows, demodata.Columns)
	if err := t.create(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.a.Close()) }()
	for _, step := range []func(context.Context) error{
		t.growInTime, t.growInSpace, t.growInTimeAgain, t.readBack, t.check, t.draw,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// path returns the name of a file in the folder of the tour.
func (t *tour) path(name string) string { return filepath.Join(t.dir, name) }

// heading prints an empty line and a heading.
func (t *tour) heading(format string, args ...any) { fmt.Fprintf(t.out, "\n"+format+"\n", args...) }

// next prints the heading of the next step.
func (t *tour) next(format string, args ...any) {
	t.step++
	t.heading("%d. "+format, append([]any{t.step}, args...)...)
}

// printf prints a line of a step, indented.
func (t *tour) printf(format string, args ...any) { fmt.Fprintf(t.out, "   "+format+"\n", args...) }

// show prints the command line that does the same as the step.
func (t *tour) show(command string) { t.printf("$ %s", t.command(command)) }

func (t *tour) create() error {
	t.next("Create an array for a window of %d x %d km. It has no image yet and takes no space.", windowSide, windowSide)
	t.show("create %s --dtype uint16 --shape 0,256,256 --chunk 4,128,128 --fill 65535 --dims time,y,x")
	a, err := drx.Create(t.path(TourArray), drx.Spec{
		DType:      dtype.Uint16,
		Shape:      []int{0, windowSide, windowSide},
		ChunkShape: []int{4, 128, 128},
		FillValue:  demodata.Missing,
		Dims:       []string{"time", "y", "x"},
		Attrs: map[string]any{
			tourAttr:       tourMark,
			"units":        "mm in 5 minutes",
			"scale_factor": demodata.Scale,
			"long_name":    "Rain by radar",
			"source":       "Royal Netherlands Meteorological Institute (KNMI), RAD_NL25_RAP_5min, via pySTEPS/pysteps-data",
			"licence":      "CC BY 4.0",
			"start":        "2010-08-26T" + clock(0) + "Z",
		},
	})
	if err != nil {
		return err
	}
	t.a = a
	t.printf("%s: %s %s, chunks of %s", a.Name(), a.DType(), cli.FormatShape(a.Shape()), cli.FormatShape(a.ChunkShape()))
	t.show("attr %s units='mm in 5 minutes' scale_factor=0.01 long_name='Rain by radar'")
	return nil
}

// half is the number of images appended before the array grows in space. It is a multiple of the
// chunk's extent, so that later images change no stored chunk.
const half = 12

func (t *tour) growInTime(ctx context.Context) error {
	t.next("Grow in time: append %d images, and commit after each.", half)
	t.show("append %s --dim time window_0330.png window_0340.png ...")
	if err := t.append(ctx, half); err != nil {
		return err
	}
	var err error
	if t.before, err = t.fingerprintAll(); err != nil {
		return err
	}
	t.printf("%s, %d new along time", arrays.Extents(t.a), half)
	t.printf("That is %s in %s, sha256 %s", mebi(t.before.bytes), fileset.Data(TourArray), t.before)
	return t.drawImage(ctx, "first.png", 0, 24)
}

// append appends images within the present bounds of y and x until there are n.
func (t *tour) append(ctx context.Context, n int) error {
	for t.a.Shape()[0] < n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.extend(0, 1, false); err != nil {
			return err
		}
		if err := t.a.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// extend grows a dimension and writes the values of the images to the new section.
func (t *tour) extend(dim, by int, low bool) error {
	added, err := arrays.Extend(t.a, dim, by, low)
	if err != nil {
		return err
	}
	return drx.Write(t.a, added, t.images.cut(added))
}

func (t *tour) growInSpace(ctx context.Context) error {
	t.next("Grow in space, on all four sides, and fill the margins of the images that are there.")
	var total int64
	for _, g := range []struct {
		dim, by int
		low     bool
		flags   string
	}{
		{1, windowRow, true, "--dim y --by 256 --low"},
		{1, demodata.Rows - windowRow - windowSide, false, "--dim y --by 253"},
		{2, windowCol, true, "--dim x --by 256 --low"},
		{2, demodata.Columns - windowCol - windowSide, false, "--dim x --by 188"},
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		elements, err := nd.Product(t.a.Shape()...)
		if err != nil {
			return err
		}
		old := int64(elements * t.a.DType().Size())
		total += old
		if err := t.extend(g.dim, g.by, g.low); err != nil {
			return err
		}
		if err := t.a.Sync(); err != nil {
			return err
		}
		t.printf("$ %-47s row-major: rewrite %s", t.command("extend %s "+g.flags), mebi(old))
	}
	t.printf("Bounds (time, y, x) are now %v: indices north and west are negative.", t.a.Bounds())
	t.printf("A row-major file would have rewritten %s for these four steps. Here:", mebi(total))
	return t.checkUnmoved()
}

func (t *tour) growInTimeAgain(ctx context.Context) error {
	t.next("Grow in time again, with whole images.")
	t.show("append %s --dim time radar_0530.png radar_0540.png ...")
	if err := t.append(ctx, len(t.images)); err != nil {
		return err
	}
	now, err := t.fingerprintAll()
	if err != nil {
		return err
	}
	t.printf("%s, %d new along time", arrays.Extents(t.a), len(t.images)-half)
	t.printf("That is %s in %s", mebi(now.bytes), fileset.Data(TourArray))
	return t.checkUnmoved()
}
