package par_test

import (
	"fmt"

	"drx/parallel/par"
)

// Four procs each add what they have; one of them prints.
func ExampleRun() {
	err := par.Run(4, func(c par.Comm) error {
		sum := []int64{int64(c.Proc())}
		if err := par.AllReduce(c, sum, par.Sum); err != nil {
			return err
		}
		if c.Proc() == 0 {
			fmt.Println(c.Procs(), "procs:", sum[0])
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// 4 procs: 6
	// <nil>
}

// An error of one proc in a step is the error of all.
func ExampleComm_agree() {
	err := par.Run(3, func(c par.Comm) error {
		var mine error
		if c.Proc() == 1 {
			mine = fmt.Errorf("no room")
		}
		return c.Agree("make room", mine)
	})
	fmt.Println(err)
	// Output:
	// proc 1: no room
}
