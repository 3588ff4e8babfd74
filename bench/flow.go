package main

import "fmt"

// flows computes the flow in a box with a moving lid, on a plate that is extended in between. The
// thesis shows the total time of such simulations against the size of the plate. All competitors do
// the same arithmetic: DRX-MP in Go (jobflow.go, with the kernel of apps/lbm but not its program,
// which also writes snapshots), the others in C. HDF5 stores the plate in chunks and can extend it;
// DRA must write another array.
var flows = experiment{
	name:   "mp-flow",
	title:  "Lattice Boltzmann: a plate with 8 random extensions between computations",
	figure: "8.5.6",
	plots: []plot{{
		metric: "total", title: "Lattice Boltzmann with 8 random extensions, 4 processes", x: "nodes along x and y at the beginning", y: "total time (ms)",
		logX: true, logY: true,
	}},
	run: runFlows,
}

// flowProcs is the number of processes, and flowSteps the number of steps before each extension.
const flowProcs, flowSteps = 4, 4

func runFlows(l *lab, t *table) error {
	cs := l.presentJobs(mpDirect, mpCollective, mpHDF5, mpHDF5Alone, mpDRA, mpPEXTA)
	for _, n := range pick(l, []int{250, 500, 1000, 2000}, []int{64}) {
		es := entrants(cs, func(c competitor) entrant {
			return entrant{series: c.series, limit: c.limit, run: func(seed uint64) (result, error) {
				return l.runFlow(c, n, randomNodes(seed, pick(l, 8, 2)))
			}}
		})
		if _, err := l.race(t, cell{metric: "total", x: float64(n), unit: milliseconds}, es...); err != nil {
			return err
		}
	}
	return nil
}

// runFlow runs a session. The plate has n x n nodes of nine columns each at the beginning.
func (l *lab) runFlow(c competitor, n int, extensions string) (result, error) {
	request := append([]string{"flow", "steps=" + extensions, fmt.Sprintf("between=%d", flowSteps), fmt.Sprintf("grid=%d,1", flowProcs)},
		shapeArgs([]int{n, 9 * n}, []int{64, 9 * 64})...)
	return l.jobRequest(c, flowProcs, request)
}

// randomNodes returns extensions by rows, or by columns of nodes.
func randomNodes(seed uint64, n int) string {
	es := randomExtensions(seed, n, 2, 1)
	for i := range es {
		if es[i].dim == 1 {
			es[i].by *= 9
		}
	}
	return steps(es)
}
