package drxmp

import "drx"

// direct is the engine Direct.
type direct struct{ array *drx.Array }

func (e direct) read(jobs []job) error {
	for _, j := range jobs {
		if err := e.array.ReadStrided(j.sec, j.buf, j.strides); err != nil {
			return err
		}
	}
	return nil
}

func (e direct) write(jobs []job) error {
	for _, j := range jobs {
		if err := e.array.WriteStrided(j.sec, j.buf, j.strides); err != nil {
			return err
		}
	}
	return nil
}

func (direct) rewritesGaps() bool { return false }
func (direct) sync() error        { return nil }
func (direct) close() error       { return nil }
