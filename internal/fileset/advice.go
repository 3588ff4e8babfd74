package fileset

// An Advice is an error with a remedy, in the words of a library. Programs add their own command.
type Advice struct {
	Err     error
	Text    string
	InPlace bool // the array can be recovered where it is
}

// Error returns the error and the advice.
func (a *Advice) Error() string { return a.Err.Error() + "; " + a.Text }

// Unwrap returns the error.
func (a *Advice) Unwrap() error { return a.Err }
