// Package exec carries out the plans of package planner: Runner one pass by the goroutines of
// this process, ParallelRunner one by several procs. Package planner has the terms and
// invariants.
package exec
