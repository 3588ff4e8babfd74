package drxmp

import (
	"cmp"
	"errors"
	"slices"

	"drx"
	"drx/internal/group"
	"drx/nd"
	"drx/parallel/par"
)

// mpiio is the engine MPIIO. Collective calls move whole chunks between the file and memory, in the
// order of the file; each proc copies between that memory and the buffers of its jobs. Chunks that
// cannot move in this way a proc moves through its array: chunks that change in part, and chunks
// that were written before, which the journal protects.
type mpiio struct {
	*membership
	name    string // of the array
	file    par.File
	durable bool // sync must make writes durable
	wrote   bool // since the last sync; the same on all procs
}

// roundBytes is the number of bytes that one proc moves in one collective call.
var roundBytes = 32 << 20

// movesFunc is ReadMoves or WriteMoves of a group.Member.
type movesFunc func(sec nd.Section, buf []byte, strides []int) (moves []group.Move, done func(), err error)

// wholeChunks returns, chunk by chunk in file order, the moves of jobs for the chunks that whole
// accepts. It moves the other chunks itself. The moves are valid until done is called.
func wholeChunks(
	begin movesFunc, jobs []job, whole func(moves []group.Move) (bool, error),
) (chunks [][]group.Move, done func(), err error) {
	var ends []func()
	done = func() {
		for _, end := range ends {
			end()
		}
	}
	var all []group.Move
	for _, j := range jobs {
		moves, end, err := begin(j.sec, j.buf, j.strides)
		if err != nil {
			return nil, done, err
		}
		ends, all = append(ends, end), append(all, moves...)
	}
	slices.SortStableFunc(all, func(a, b group.Move) int { return cmp.Compare(a.Number(), b.Number()) })
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Number() == all[0].Number() {
			n++
		}
		moves := all[:n:n]
		all = all[n:]
		yes, err := whole(moves)
		if yes {
			chunks = append(chunks, moves)
		} else if err == nil {
			err = moveSerially(moves)
		}
		if err != nil {
			return nil, done, err
		}
	}
	return chunks, done, nil
}

func moveSerially(moves []group.Move) error {
	for i := range moves {
		if err := moves[i].Serial(); err != nil {
			return err
		}
	}
	return nil
}

func (e *mpiio) read(jobs []job) error {
	size, sizeErr := e.file.Size()
	chunks, done, err := wholeChunks(e.ReadMoves, jobs, func(moves []group.Move) (bool, error) {
		if sizeErr != nil {
			return false, sizeErr
		}
		yes, err := moves[0].Readable()
		return yes && e.end(moves) <= size, err
	})
	defer done()
	return e.rounds(chunks, err, func(round [][]group.Move, memory []byte) error {
		if err := e.file.ReadAll(e.pieces(round, memory)); err != nil {
			return err
		}
		return e.eachChunk(round, memory, copyOut)
	})
}

// copyOut copies a chunk that was read to the buffers. If the bytes do not match the checksum,
// somebody outside of the group may be writing them, a case that the array itself handles.
func copyOut(moves []group.Move, chunk []byte) error {
	err := moves[0].Check(chunk)
	if errors.Is(err, drx.ErrCorrupt) {
		return moveSerially(moves)
	}
	for i := range moves {
		moves[i].CopyOut(chunk)
	}
	return err
}

func (e *mpiio) write(jobs []job) error {
	chunks, done, err := wholeChunks(e.WriteMoves, jobs, func(moves []group.Move) (bool, error) {
		yes, err := moves[0].Writable()
		return yes && len(moves) == 1, err
	})
	defer done()
	return e.rounds(chunks, err, func(round [][]group.Move, memory []byte) error {
		err := e.eachChunk(round, memory, func(moves []group.Move, chunk []byte) error {
			moves[0].CopyIn(chunk)
			return nil
		})
		if err := e.comm.Agree("chunks of "+e.name, err); err != nil {
			return err
		}
		if err := e.file.WriteAll(e.pieces(round, memory)); err != nil {
			return err
		}
		e.wrote = true
		return e.eachChunk(round, memory, func(moves []group.Move, chunk []byte) error {
			return moves[0].NoteWritten(chunk)
		})
	})
}

// rounds calls f with groups of chunks, and memory for them, until all chunks are done. f is called
// equally often on all procs, because it makes collective calls. A proc with an error takes part
// without chunks.
func (e *mpiio) rounds(chunks [][]group.Move, err error, f func(round [][]group.Move, memory []byte) error) error {
	if err != nil {
		chunks = nil
	}
	size := e.chunkBytes()
	most := max(1, roundBytes/size)
	rounds := []int64{int64((len(chunks) + most - 1) / most)}
	if err := par.AllReduce(e.comm, rounds, par.Max); err != nil {
		return err
	}
	memory := make([]byte, min(most, len(chunks))*size)
	for range rounds[0] {
		n := min(most, len(chunks))
		roundErr := f(chunks[:n], memory[:n*size])
		if err == nil {
			err = roundErr
		}
		chunks = chunks[n:]
	}
	return err
}

// pieces returns the positions of the chunks of a round in the file. Neighbours form one piece.
func (e *mpiio) pieces(round [][]group.Move, memory []byte) []par.Piece {
	var all []par.Piece
	size := e.chunkBytes()
	for _, moves := range round {
		off := e.array.Layout().Offset(moves[0].Number())
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
func (e *mpiio) eachChunk(round [][]group.Move, memory []byte, f func(moves []group.Move, chunk []byte) error) error {
	size := e.chunkBytes()
	for i, moves := range round {
		if err := f(moves, memory[i*size:(i+1)*size]); err != nil {
			return err
		}
	}
	return nil
}

// end returns where a chunk ends in the file.
func (e *mpiio) end(moves []group.Move) int64 {
	return e.array.Layout().Offset(moves[0].Number()) + int64(e.chunkBytes())
}

// rewritesGaps is true: MPI-IO may read a large piece of the file, change it, and write it back.
func (e *mpiio) rewritesGaps() bool { return true }

// sync makes durable what the engine has written, and visible to all procs, collective.
func (e *mpiio) sync() error {
	if !e.wrote || !e.durable {
		return nil
	}
	err := e.file.Sync()
	e.wrote = err != nil
	return err
}

func (e *mpiio) close() error { return e.file.Close() }
