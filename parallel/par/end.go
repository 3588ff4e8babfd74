package par

// AtEnd arranges that f is called at the end of the program that a group belongs to, even if the
// program fails: in the process of this proc, after the function that Run calls has returned.
// cancel undoes that. Libraries use it to close what a failed program has left open. For groups of
// other implementations, which do not have it, AtEnd does nothing.
func AtEnd(c Comm, f func()) (cancel func()) {
	if e, ok := c.(interface{ AtEnd(f func()) func() }); ok {
		return e.AtEnd(f)
	}
	return func() {}
}

// AtEnd implements the function AtEnd.
func (c *comm) AtEnd(f func()) (cancel func()) { return c.w.ends.Add(f) }
