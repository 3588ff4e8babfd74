package capi

import (
	"context"
	"errors"
	"math"
	"time"

	"drx"
	"drx/cmd/internal/result"
)

// Refresh updates an array to the latest commit, and reports whether anything has changed.
func Refresh(h Handle) (bool, error) {
	a, err := arrays.get(h)
	if err != nil {
		return false, err
	}
	if err := a.checkOwn("drx_dataset_refresh"); err != nil {
		return false, err
	}
	return a.Refresh()
}

// followed returns an array whose changes can be followed.
func followed(h Handle) (*array, error) {
	a, err := arrays.get(h)
	if err != nil {
		return nil, err
	}
	if err := a.checkOwn("drx_dataset_refresh"); err != nil {
		return nil, err
	}
	if a.mode != ModeRead {
		return nil, invalidf("%s: only an array that is open with DRX_READ can be followed", a.Name())
	}
	return a, nil
}

// Poll waits for changes at most timeout seconds and returns them as a JSON list, which may be
// empty. A negative timeout waits without limit.
func Poll(h Handle, timeout float64) (string, error) {
	a, err := followed(h)
	if err != nil {
		return "", err
	}
	ctx, cancel, err := withTimeout(timeout)
	if err != nil {
		return "", err
	}
	defer cancel()
	var changes []drx.Change
	err = a.Follow(ctx, func(c drx.Change) error {
		changes = append(changes, c)
		cancel() // Follow still delivers all changes that it found together
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return "", err
	}
	return changesJSON(changes)
}

// withTimeout returns a context that ends after the given seconds, or not at all if they are
// negative. The error wraps ErrInvalid for NaN.
func withTimeout(seconds float64) (context.Context, context.CancelFunc, error) {
	switch {
	case math.IsNaN(seconds):
		return nil, nil, invalidf("timeout of NaN seconds")
	case seconds < 0 || seconds > 1e9:
		ctx, cancel := context.WithCancel(context.Background())
		return ctx, cancel, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(seconds*float64(time.Second)))
	return ctx, cancel, nil
}

// Follow calls f with every change, as JSON, on the caller's thread, until f returns true
// (ErrCancelled) or timeout seconds have passed (nil).
func Follow(h Handle, timeout float64, f func(change string) (stop bool)) error {
	a, err := followed(h)
	if err != nil {
		return err
	}
	ctx, cancel, err := withTimeout(timeout)
	if err != nil {
		return err
	}
	defer cancel()
	var stopped error
	err = a.Follow(ctx, func(c drx.Change) error {
		text, err := toJSON(result.NewChange(c))
		if err == nil && f(text) {
			err, stopped = ErrCancelled, ErrCancelled
		}
		return err
	})
	if stopped == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// changesJSON returns changes as a JSON list.
func changesJSON(changes []drx.Change) (string, error) {
	list := []result.Change{}
	for _, c := range changes {
		list = append(list, result.NewChange(c))
	}
	return toJSON(list)
}
