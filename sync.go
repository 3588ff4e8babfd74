package drx

// Sync makes every change so far durable and visible to whoever opens the array: the
// chunks, then their table entries, then the bounds and attributes. It is the one place
// where an array is committed. When it returns an error nothing counts as committed; the
// changes are kept, and the next Sync tries again.
func (a *Array) Sync() error {
	done, err := a.begin("sync", true)
	if err != nil {
		return err
	}
	defer done()
	return a.errorf("sync", a.sync())
}

// sync commits. The order of the steps is what makes a crash harmless: before the last
// one the log says what it said at the last Sync.
func (a *Array) sync() error {
	a.commit.Lock()
	defer a.commit.Unlock()
	a.grow.Lock()
	defer a.grow.Unlock()
	if err := a.pool.Flush(); err != nil {
		return err
	}
	if err := a.store.Sync(); err != nil {
		return err
	}
	if len(a.pending) == 0 {
		return nil
	}
	if err := a.log.Append(a.pending); err != nil {
		return err
	}
	a.pending = nil
	a.store.SetGeneration(uint32(a.log.Commits()))
	return nil
}
