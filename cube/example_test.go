package cube_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"drx"
	"drx/cube"
	"drx/dtype"
)

// A table becomes a cube, and a part of it is summed.
func Example() {
	dir, err := os.MkdirTemp("", "cube")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	a, err := drx.Create(filepath.Join(dir, "sales"), cube.Spec(dtype.Float64, "date", "store"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	c, err := cube.Of(a)
	if err != nil {
		fmt.Println(err)
		return
	}
	table := "date,store,sold\n2013-01-01,north,3\n2013-01-01,south,4\n2013-01-02,south,5\n2013-01-03,south,7\n"
	o := cube.CSV{Coords: []string{"date", "store"}, Value: "sold"}
	rows, err := c.AppendCSV(context.Background(), strings.NewReader(table), o)
	fmt.Println(rows, a.Shape(), err)

	sel, err := c.Select("date=2013-01-01..2013-01-02")
	if err != nil {
		fmt.Println(err)
		return
	}
	sums, err := c.Reduce(context.Background(), sel, cube.Sum, cube.Over{Dims: []int{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range sums.Count {
		fmt.Println(c.Label(1, sums.Cells[0].At(i)), sums.Text(i), sums.Count[i])
	}
	fmt.Println(sums.Float64s())
	// Output:
	// 4 [3 2] <nil>
	// north 3 1
	// south 9 2
	// [3 9]
}
