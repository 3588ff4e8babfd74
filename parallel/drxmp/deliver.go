package drxmp

import "encoding/binary"

// shareWrites sends pending writes to the owners of the chunks, and the list of changed chunks to
// all procs.
func (a *Array) shareWrites() error {
	if err := a.deliver(nil, make([][]remoteWrite, a.comm.Procs())); err != nil {
		return err
	}
	return a.exchangeChanges()
}

// deliver sends remote writes to the owners of their chunks, pending ones first, and carries out
// this proc's own jobs and the received ones. Writes that were pending on any proc precede those of
// this call. After an error the pending writes are as before, on all procs.
func (a *Array) deliver(own []job, remote [][]remoteWrite) error {
	pending := a.pending.all()
	received, err := a.send(pending, remote)
	if err != nil {
		return err
	}
	jobs, err := a.receivedJobs(received)
	if err := a.agree("delivery", err); err != nil {
		return err
	}
	if a.engine.rewritesGaps() {
		a.engineWrites.Lock()
		defer a.engineWrites.Unlock()
	}
	if err := a.agree("end of write", a.engine.write(append(jobs, own...))); err != nil {
		return err
	}
	a.pending.delivered(pending)
	return nil
}

// send sends a message to each proc and returns the messages for this one. A message has the size
// of the pending writes in 8 bytes, these writes, and the other writes.
func (a *Array) send(pending, remote [][]remoteWrite) (received [][]byte, err error) {
	messages := make([][]byte, len(remote))
	for p, writes := range pending {
		before := encode(nil, writes)
		messages[p] = binary.LittleEndian.AppendUint64(nil, uint64(len(before)))
		messages[p] = encode(append(messages[p], before...), remote[p])
	}
	return a.comm.AllToAll(messages)
}

// receivedJobs returns the jobs that write the received elements, pending writes first.
func (a *Array) receivedJobs(messages [][]byte) ([]job, error) {
	var before, now []job
	for _, message := range messages {
		n := binary.LittleEndian.Uint64(message)
		var err error
		if before, err = a.appendJobs(before, message[8:8+n]); err != nil {
			return nil, err
		}
		if now, err = a.appendJobs(now, message[8+n:]); err != nil {
			return nil, err
		}
	}
	return append(before, now...), nil
}

func (a *Array) appendJobs(jobs []job, encoded []byte) ([]job, error) {
	elem := a.dtype.Size()
	writes, err := decode(encoded, a.member.array.Rank(), elem)
	for _, w := range writes {
		jobs = append(jobs, denseJob(w.sec, w.data, elem))
	}
	return jobs, err
}

// exchangeChanges sends each proc's list of changed chunks to all procs.
func (a *Array) exchangeChanges() error {
	changes, err := a.member.CollectChanges()
	if err := a.agree("collect changes", err); err != nil {
		return err
	}
	all, err := a.comm.AllGather(changes)
	if err != nil {
		return err
	}
	for p, changes := range all {
		if p != a.comm.Proc() && err == nil {
			err = a.member.ApplyRemote(changes)
		}
	}
	return a.agree("exchange", err)
}
