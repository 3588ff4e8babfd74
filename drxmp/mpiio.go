package drxmp

import (
	"cmp"
	"errors"
	"os"
	"slices"

	"drx"
	"drx/internal/joint"
	"drx/par"
)

// newEngine returns the engine that the options want, collective: where they want none, proc 0 looks
// at the file system.
func (a *Array) newEngine() (engine, error) {
	e, hints, err := a.options.choose(a.name + ".xta")
	if err != nil { // the same on all procs
		return nil, a.errorf("open", err)
	}
	if a.options.Engine == Auto {
		chosen := []byte{byte(e)}
		if err := a.comm.Broadcast(chosen, 0); err != nil {
			return nil, err
		}
		e = Engine(chosen[0])
	}
	if e != MPIIO {
		return direct{a}, nil
	}
	flag := os.O_RDONLY
	if a.options.Write {
		flag = os.O_RDWR
	}
	file, err := a.comm.OpenFile(a.name+".xta", flag, hints)
	if err != nil {
		return nil, err
	}
	return &mpiio{a: a, file: file}, nil
}

// mpiio is MPIIO: whole chunks go between the file and memory by collective calls with the offsets
// of the chunks, ascending, and between that memory and the buffers of the jobs by each proc. What
// is not to be done like that each proc does as if it were alone: chunks that are changed in
// part, or that were written before, which the journal protects.
type mpiio struct {
	a     *Array
	file  par.File
	wrote bool // since the last sync; the same on all procs
}

// roundBytes is how many bytes one proc moves in one collective call.
var roundBytes = 32 << 20

// plan returns the moves of jobs, chunk by chunk in file order, until done is called.
func (e *mpiio) plan(write bool, jobs []job) (chunks [][]joint.Move, done func(), err error) {
	var ends []func()
	done = func() {
		for _, end := range ends {
			end()
		}
	}
	var all []joint.Move
	for _, j := range jobs {
		moves, end, err := e.a.member.Moves(write, j.sec, j.buf, j.strides)
		if err != nil {
			done()
			return nil, func() {}, err
		}
		ends, all = append(ends, end), append(all, moves...)
	}
	slices.SortStableFunc(all, func(a, b joint.Move) int { return cmp.Compare(a.Number(), b.Number()) })
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Number() == all[0].Number() {
			n++
		}
		chunks, all = append(chunks, all[:n:n]), all[n:]
	}
	return chunks, done, nil
}

// divide returns the chunks that are to be moved together, after doing what is to be done alone.
func divide(chunks [][]joint.Move, together func([]joint.Move) (bool, error)) ([][]joint.Move, error) {
	var rest [][]joint.Move
	for _, moves := range chunks {
		yes, err := together(moves)
		if err != nil {
			return nil, err
		}
		if yes {
			rest = append(rest, moves)
		} else if err := alone(moves); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

func alone(moves []joint.Move) error {
	for i := range moves {
		if err := moves[i].Serial(); err != nil {
			return err
		}
	}
	return nil
}

func (e *mpiio) read(jobs []job) error {
	chunks, done, err := e.plan(false, jobs)
	defer done()
	var size int64
	if err == nil {
		size, err = e.file.Size()
	}
	if err == nil {
		chunks, err = divide(chunks, func(moves []joint.Move) (bool, error) {
			yes, err := moves[0].ToRead()
			return yes && e.end(moves) <= size, err
		})
	}
	return e.rounds(chunks, err, func(round [][]joint.Move, memory []byte) error {
		if err := e.file.ReadAll(e.pieces(round, memory)); err != nil {
			return err
		}
		return e.eachChunk(round, memory, arrive)
	})
}

// arrive takes over the bytes of a chunk. If they are not those that were written, the serial
// library knows what to do: somebody outside of the group may just be writing them.
func arrive(moves []joint.Move, chunk []byte) error {
	err := moves[0].Check(chunk)
	if errors.Is(err, drx.ErrCorrupt) {
		return alone(moves)
	}
	for i := range moves {
		moves[i].CopyOut(chunk)
	}
	return err
}

func (e *mpiio) write(jobs []job) error {
	chunks, done, err := e.plan(true, jobs)
	defer done()
	if err == nil {
		chunks, err = divide(chunks, func(moves []joint.Move) (bool, error) {
			yes, err := moves[0].ToWrite()
			return yes && len(moves) == 1, err
		})
	}
	return e.rounds(chunks, err, func(round [][]joint.Move, memory []byte) error {
		err := e.eachChunk(round, memory, func(moves []joint.Move, chunk []byte) error {
			moves[0].CopyIn(chunk)
			return nil
		})
		if err := e.a.agree("chunks", err); err != nil {
			return err
		}
		if err := e.file.WriteAll(e.pieces(round, memory)); err != nil {
			return err
		}
		e.wrote = true
		return e.eachChunk(round, memory, func(moves []joint.Move, chunk []byte) error {
			return moves[0].Placed(chunk)
		})
	})
}

// rounds calls f with all chunks, some at a time, and memory for them: equally often on all procs.
// A proc that has an error already takes part with none.
func (e *mpiio) rounds(chunks [][]joint.Move, err error, f func(round [][]joint.Move, memory []byte) error) error {
	if err != nil {
		chunks = nil
	}
	size := e.a.chunkBytes()
	most := max(1, roundBytes/size)
	left := []int64{int64((len(chunks) + most - 1) / most)}
	if err := par.AllReduce(e.a.comm, left, par.Max); err != nil {
		return err
	}
	memory := make([]byte, min(most, len(chunks))*size)
	for range left[0] {
		n := min(most, len(chunks))
		roundErr := f(chunks[:n], memory[:n*size])
		if err == nil {
			err = roundErr
		}
		chunks = chunks[n:]
	}
	return err
}

// pieces returns where the chunks of a round are in the file; neighbours are one piece.
func (e *mpiio) pieces(round [][]joint.Move, memory []byte) []par.Piece {
	var all []par.Piece
	size := e.a.chunkBytes()
	for _, moves := range round {
		off := e.a.array().Layout().Offset(moves[0].Number())
		if n := len(all); n > 0 && all[n-1].Off+int64(len(all[n-1].Data)) == off {
			all[n-1].Data = all[n-1].Data[:len(all[n-1].Data)+size]
		} else {
			all = append(all, par.Piece{Off: off, Data: memory[:size]})
		}
		memory = memory[size:]
	}
	return all
}

// eachChunk calls f with the moves and the bytes of each chunk of a round.
func (e *mpiio) eachChunk(round [][]joint.Move, memory []byte, f func(moves []joint.Move, chunk []byte) error) error {
	size := e.a.chunkBytes()
	for i, moves := range round {
		if err := f(moves, memory[i*size:(i+1)*size]); err != nil {
			return err
		}
	}
	return nil
}

// end returns where a chunk ends in the file.
func (e *mpiio) end(moves []joint.Move) int64 {
	a := e.a.array()
	return a.Layout().Offset(moves[0].Number()) + int64(e.a.chunkBytes())
}

// sync makes durable what the engine has written, and visible to all, collective.
func (e *mpiio) sync() error {
	if !e.wrote || e.a.options.Durability == drx.DurabilityNone {
		return nil
	}
	err := e.file.Sync()
	e.wrote = err != nil
	return err
}

func (e *mpiio) close() error { return e.file.Close() }
