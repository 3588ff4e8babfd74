package fileset

// An Advice is an error with what the user can do about it, so that nobody else adds that again.
type Advice struct {
	Err  error
	Text string
}

// Advise returns an *Advice.
func Advise(err error, text string) error { return &Advice{err, text} }

// Error returns both.
func (a *Advice) Error() string { return a.Err.Error() + "; " + a.Text }

// Unwrap returns the error.
func (a *Advice) Unwrap() error { return a.Err }
