//go:build mpi

package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"drx/parallel/drxmp"
	"drx/parallel/mpi"
	"drx/parallel/par"
	"drx/parallel/spmd"
)

// A jobChild is one proc of DRX-MP as a parallel peer. It serves the verbs of peers/job.c. Its
// options are
//
//	engine=auto     drxmp.Auto, the default: direct on the file systems of one machine
//	engine=direct   drxmp.Direct
//	engine=mpiio    drxmp.MPIIO
//	codec=CODEC     compressed chunks
//
// It uses DurabilityNone, because the other peers make nothing durable either; all other options
// are zero.
type jobChild struct {
	comm  par.Comm
	clock clock
	check uint64
}

// serveJob runs the procs: this process of a job of mpirun, or goroutines if args has their number.
func serveJob(args []string) {
	procs := 0
	if len(args) > 0 {
		var err error
		if procs, err = strconv.Atoi(args[0]); err != nil {
			spmd.Exit(fmt.Errorf("%s %s: no number of procs", jobFlag, args[0]))
		}
	}
	lines := bufio.NewReader(os.Stdin)
	spmd.Exit(spmd.Run(procs, func(c par.Comm) error {
		j := &jobChild{comm: c}
		for {
			line, err := j.receive(lines)
			if err != nil || line == "" {
				return err
			}
			answer, err := j.answer(line)
			if c.Proc() == 0 {
				fmt.Println(answer)
			}
			if err != nil {
				return err
			}
		}
	}))
}

// receive sends the line that proc 0 reads to all procs. It returns an empty line at the end of the
// input.
func (j *jobChild) receive(lines *bufio.Reader) (string, error) {
	var line string
	if j.comm.Proc() == 0 {
		line, _ = lines.ReadString('\n') // an incomplete line counts as the end
	}
	size := make([]byte, 8)
	binary.LittleEndian.PutUint64(size, uint64(len(line)))
	if err := j.comm.Broadcast(size, 0); err != nil {
		return "", err
	}
	text := make([]byte, binary.LittleEndian.Uint64(size))
	copy(text, line)
	err := j.comm.Broadcast(text, 0)
	return string(text), err
}

// answer serves one request and returns the answer for proc 0 to print. An error ends the job.
func (j *jobChild) answer(line string) (string, error) {
	j.clock, j.check = clock{}, 0
	q, err := parseRequest(line)
	if err == nil {
		err = j.serve(q)
	}
	err = j.comm.Agree("request", err)
	sums := []int64{int64(j.check), int64(j.clock.cpu)}
	if !mpi.Launched() && j.comm.Proc() != 0 {
		sums[1] = 0 // goroutines share a process, whose CPU time proc 0 reports
	}
	if err == nil {
		err = par.AllReduce(j.comm, sums, par.Sum)
	}
	if err != nil {
		return "error " + strings.ReplaceAll(err.Error(), "\n", " "), err
	}
	return fmt.Sprintf("ok %d %d %d %d", j.clock.wall, sums[1], j.clock.ops, sums[0]), nil
}

func (j *jobChild) serve(q request) error {
	work, ok := map[string]func(jobRequest) error{
		"write": j.write, "read": j.read, "grow": j.grow, "extend": j.extend, "flow": j.flow,
		"calls": j.calls, "write-section": j.writeSection, "read-section": j.readSection,
	}[q.verb]
	if !ok {
		return fmt.Errorf("there is no %s", q.verb)
	}
	r, err := parseJob(q)
	if err != nil {
		return err
	}
	return work(r)
}

// jobRequest has the arguments of all verbs.
type jobRequest struct {
	path               string
	shape, chunk, grid []int
	again, by, rounds  int
	offset             int
	steps              []string // "DIM:BY"
	between            int
	codec              string
	engine             drxmp.Engine
}

func parseJob(q request) (jobRequest, error) {
	r := jobRequest{path: q.text("path", ""), codec: q.text("codec", "")}
	var errs [9]error
	r.shape, errs[0] = q.numbers("shape")
	r.chunk, errs[1] = q.numbers("chunk")
	r.grid, errs[2] = q.numbers("grid")
	r.again, errs[3] = q.number("again", 0)
	r.by, errs[4] = q.number("by", 1)
	r.rounds, errs[5] = q.number("rounds", 1)
	r.engine, errs[6] = drxmp.ParseEngine(q.text("engine", "auto"))
	r.between, errs[7] = q.number("between", 1)
	r.offset, errs[8] = q.number("offset", 0)
	if steps := q.text("steps", ""); steps != "" {
		r.steps = strings.Split(steps, ",")
	}
	return r, errors.Join(errs[:]...)
}
