package demo

import (
	"fmt"
	"image"
	"image/png"

	"drx/cmd/drx/demodata"
	"drx/nd"
)

// The window of the images that the tour begins with, in kilometres, one per pixel. Element (y, x)
// of the array is row y + windowRow and column x + windowCol of an image, so that pixels north or
// west of the window have negative indices.
const (
	windowRow, windowCol = 256, 256
	windowSide           = 256
)

// images are the radar images, row-major.
type images [][]uint16

// readImages decodes the pictures that are embedded in the program.
func readImages() (images, error) {
	var all images
	for _, name := range demodata.Names() {
		file, err := demodata.Images.Open(name)
		if err != nil {
			return nil, err
		}
		img, err := png.Decode(file)
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		grey, ok := img.(*image.Gray16)
		if !ok || grey.Rect != image.Rect(0, 0, demodata.Columns, demodata.Rows) {
			return nil, fmt.Errorf("%s: %T of %v, want 16-bit grey of %d x %d", name, img, img.Bounds(), demodata.Columns, demodata.Rows)
		}
		values := make([]uint16, 0, demodata.Rows*demodata.Columns)
		for i := 0; i < len(grey.Pix); i += 2 {
			values = append(values, uint16(grey.Pix[i])<<8|uint16(grey.Pix[i+1]))
		}
		all = append(all, values)
	}
	return all, nil
}

// cut returns the expected elements of a section of the array (time, y, x), row-major.
func (all images) cut(sec nd.Section) []uint16 {
	var data []uint16
	for t := sec[0].Lo; t < sec[0].Hi; t++ {
		for y := sec[1].Lo; y < sec[1].Hi; y++ {
			row := all[t][(y+windowRow)*demodata.Columns:][:demodata.Columns]
			data = append(data, row[sec[2].Lo+windowCol:sec[2].Hi+windowCol]...)
		}
	}
	return data
}

// clock returns the time of day of image number t, as in 03:30.
func clock(t int) string {
	minutes := 3*60 + 30 + t*demodata.Step
	return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
}
