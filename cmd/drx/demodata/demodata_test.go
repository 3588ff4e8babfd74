package demodata

import (
	"fmt"
	"image"
	"image/png"
	"slices"
	"testing"
)

// sums are the counts of rain in each image, missing samples left out, as
// convert.py printed them when it read the HDF5 files.
var sums = []int{
	428753, 432269, 453988, 493071, 570339, 599430, 611300, 635277,
	577977, 545222, 533247, 601423, 583447, 609142, 586373, 568058,
	553881, 566216, 562743, 591225, 600073, 550196, 532693, 446803,
}

func decode(t *testing.T, name string) *image.Gray16 {
	t.Helper()
	file, err := Images.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	grey, ok := picture.(*image.Gray16)
	if !ok {
		t.Fatalf("%s: decoded as %T, want 16-bit grey", name, picture)
	}
	return grey
}

func TestNamesInOrderOfTime(t *testing.T) {
	want := make([]string, 0, len(sums))
	for i := range sums {
		minute := 3*60 + 30 + i*Step
		want = append(want, fmt.Sprintf("radar_%02d%02d.png", minute/60, minute%60))
	}
	if got := Names(); !slices.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
}

func TestEveryFrame(t *testing.T) {
	const missing = 398271 // the same pixels in every image
	var mask []bool
	for i, name := range Names() {
		grey := decode(t, name)
		if size := grey.Bounds().Size(); size != image.Pt(Columns, Rows) {
			t.Fatalf("%s: %v pixels, want %d by %d", name, size, Columns, Rows)
		}
		sum, unseen := 0, make([]bool, 0, Rows*Columns)
		for y := range Rows {
			for x := range Columns {
				v := int(grey.Gray16At(x, y).Y)
				if v != Missing {
					sum += v
				}
				unseen = append(unseen, v == Missing)
			}
		}
		if sum != sums[i] {
			t.Errorf("%s: %d counts of rain, want %d", name, sum, sums[i])
		}
		if mask == nil {
			mask = unseen
		}
		if !slices.Equal(mask, unseen) {
			t.Errorf("%s: the missing samples differ from those of the first image", name)
		}
	}
	n := 0
	for _, m := range mask {
		if m {
			n++
		}
	}
	if n != missing {
		t.Errorf("%d samples are missing, want %d", n, missing)
	}
}

func TestSamples(t *testing.T) {
	for _, c := range []struct {
		name string
		y, x int
		want uint16
	}{
		{"radar_0330.png", 468, 347, 96}, // the most rain of the image
		{"radar_0330.png", 382, 350, 17},
		{"radar_0330.png", 0, 0, Missing},
		{"radar_0720.png", 425, 307, 96},
		{"radar_0720.png", 382, 350, 28},
		{"radar_0720.png", 300, 204, Missing}, // the western edge of the composite
		{"radar_0720.png", 300, 205, 11},
	} {
		if got := decode(t, c.name).Gray16At(c.x, c.y).Y; got != c.want {
			t.Errorf("%s: sample (%d, %d) is %d, want %d", c.name, c.y, c.x, got, c.want)
		}
	}
}
