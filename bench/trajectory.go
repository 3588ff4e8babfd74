package main

import "fmt"

// trajectories extends an array of frames and particles at random, along one of the two. In the
// thesis such extensions, by 1 to 100 indices, come between computations of molecular dynamics;
// here only the files are measured. The array has two dimensions, n x n at first; that of apps/md
// has two more and grows by one frame at a time. HDF5 stores the array in chunks and can extend it;
// DRA must write another array.
var trajectories = experiment{
	name:   "mp-trajectory",
	title:  "Trajectories: 16 extensions along time or particles at random",
	figure: "8.5.5",
	plots: []plot{{
		metric: "total", title: "16 random extensions of time or particles, written, 4 processes", x: "frames and particles at the beginning", y: "total time (ms)",
		logX: true, logY: true,
	}},
	run: runTrajectories,
}

// trajectoryProcs is the number of processes.
const trajectoryProcs = 4

func runTrajectories(l *lab, t *table) error {
	cs := l.presentJobs(mpDirect, mpCollective, mpHDF5, mpHDF5Alone, mpDRA, mpPEXTA)
	for _, n := range pick(l, []int{500, 1000, 2000, 4000, 8000}, []int{300, 600}) {
		es := entrants(cs, func(c competitor) entrant {
			return entrant{series: c.series, limit: c.limit, run: func(seed uint64) (result, error) {
				return l.growTrajectory(c, n, steps(randomExtensions(seed, pick(l, 16, 4), 2, 1)))
			}}
		})
		if _, err := l.race(t, cell{metric: "total", x: float64(n), unit: milliseconds}, es...); err != nil {
			return err
		}
	}
	return nil
}

// growTrajectory runs a session. The array has n x n elements at the beginning, and the time is
// that of all steps.
func (l *lab) growTrajectory(c competitor, n int, extensions string) (result, error) {
	request := append([]string{"extend", "steps=" + extensions, fmt.Sprintf("grid=1,%d", trajectoryProcs)}, shapeArgs(uniform(2, n), uniform(2, 256))...)
	r, err := l.jobRequest(c, trajectoryProcs, request)
	r.ops = 1
	return r, err
}
