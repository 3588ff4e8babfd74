//go:build hdf5 && netcdf && fits && gdal && matio

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Rasters have a missing value, which may be zero, or differ by band. It is applied wherever values
// are read, and exported to other formats, or the verb refuses.
func TestNodata(t *testing.T) {
	drx := buildPrograms(t)
	t.Chdir(t.TempDir())
	image := func(name string, marks ...string) {
		t.Helper()
		vrt, grids := `<VRTDataset rasterXSize="2" rasterYSize="2"><GeoTransform>0,1,0,9,0,-1</GeoTransform>`, []string{"1 255\n-9 0\n", "4 255\n-9 6\n"}
		for i, mark := range marks {
			grid := fmt.Sprintf("%s%d.asc", name, i)
			text := "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n" + grids[i]
			if err := os.WriteFile(grid, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			if mark != "" {
				mark = "<NoDataValue>" + mark + "</NoDataValue>"
			}
			vrt += fmt.Sprintf(`<VRTRasterBand dataType="Int16" band="%d">%s<SimpleSource><SourceFilename>%s</SourceFilename></SimpleSource></VRTRasterBand>`, i+1, mark, grid)
		}
		if err := os.WriteFile(name+".vrt", []byte(vrt+"</VRTDataset>"), 0o666); err != nil {
			t.Fatal(err)
		}
		succeed(t, "gdal_translate", "-q", "-of", "HFA", name+".vrt", name+".img")
		succeed(t, drx, "import", name+".img", name)
	}
	image("zero", "0", "0")
	image("two", "255", "-9")
	image("some", "", "-9")
	for _, test := range []struct{ args, want string }{
		{"sum zero --over y,x", "0,247 1,256"},
		{"sum zero --over y,x --count", "0,3 1,4"},
		{"sum two --over y,x", "0,-8 1,265"},
		{"sum two --over y,x --at band=0", "0,-8"},
		{"sum two --over y,x --at band=1", "1,265"},
		{"sum two --over y,x --at band=1 --count", "1,3"},
		{"sum some --over y,x --at band=0", "0,247"},
		{"sum some --over y,x --at band=1", "1,265"},
		{"import two.img unscaled --unscale", "float64"},
		{"sum unscaled --over y,x", "0,-8 1,265"},
		{"import two.img narrow --as uint8 --clip", "a missing value for each of 2 bands"},
		{"import two.img wide --as float32", "float32"},
		{"sum wide --over y,x --at band=1", "1,265"},
		{"import two.img times --append t", "1 new along t"},
		{"import two.img times --append t", "t 2"}, // two bands, too
		{"sum times --over y,x,t --at band=1", "1,530"},
		{"import zero.img times --append t", "nodata"},
		{"append times --dim t zero.img", "nodata"},
		{"write zero two.img", "nodata"},
		{"import two.img two --append band", "a missing value of its own for each of its 2 indices"},
		{"append two --dim band two.img", "a missing value of its own for each of its 2 indices"},
		{"export two two.nc", "nodata is a list"},
		{"export two two.zarr", "nodata is a list"},
		{"export two two.tif", "nodata is a list"},
		{"export some one.nc --at band=1", "one.nc"},
		{"import one.nc one", "one"},
		{"sum one/some --over y,x", "0,265"},
		{"export zero zero.nc", "zero.nc"},
		{"import zero.nc again", "again"},
		{"sum again/zero --over y,x", "0,247 1,256"},
		{"export zero zero.tif", "zero.tif"},
		{"import zero.tif tif", "tif"},
		{"sum tif --over y,x", "0,247 1,256"},
	} {
		out, _ := exec.Command(drx, strings.Fields(test.args)...).CombinedOutput() // see out
		if got := strings.Join(strings.Fields(string(out)), " "); !strings.Contains(got, test.want) {
			t.Errorf("drx %s: %s, want %s", test.args, got, test.want)
		}
	}
	if missing, err := filepath.Glob("two.[nzt]*"); err != nil || len(missing) > 0 {
		t.Error("a refused export has left", missing, err)
	}
}
