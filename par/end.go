package par

// AtEnd has f called at the end of the program that a group belongs to, also if it fails, in the
// process of this proc and after the function that Run calls has returned; cancel takes that back. It is
// for what would be left open: libraries close it themselves. Groups that are not of this module do
// nothing.
func AtEnd(c Comm, f func()) (cancel func()) {
	if e, ok := c.(interface{ AtEnd(f func()) func() }); ok {
		return e.AtEnd(f)
	}
	return func() {}
}

// AtEnd is the function AtEnd.
func (c *comm) AtEnd(f func()) (cancel func()) { return c.w.ends.Add(f) }
