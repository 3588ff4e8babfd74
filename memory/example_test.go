package memory_test

import (
	"fmt"

	"drx/memory"
	"drx/nd"
)

// An array grows on both sides and gets a dimension; every element keeps its index and its address.
func Example() {
	a, err := memory.New(memory.Spec[int32]{Shape: []int{2, 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = a.Write(nil, []int32{1, 2, 3, 4, 5, 6})
	p, _ := a.Pointer(1, 2)
	added, _ := a.Extend(1, 1)
	_ = a.Fill(added, 7)
	added, _ = a.ExtendLow(0, 1)
	_ = a.Fill(added, 8)
	data, _ := a.Read(nil)
	fmt.Println(a.Bounds(), data)
	time, _ := a.AddDim("time")
	_, _ = a.Extend(time, 1)
	*p = 60
	data, _ = a.Read(nd.Sec(nd.At(1), nd.All, nd.All))
	fmt.Println(a.Shape(), data)
	// Output:
	// -1:2,0:4 [8 8 8 8 1 2 3 7 4 5 6 7]
	// [3 4 2] [4 0 5 0 60 0 7 0]
}
