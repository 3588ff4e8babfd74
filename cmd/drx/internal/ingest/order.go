package ingest

import (
	"errors"
	"fmt"

	"drx"
	"drx/formats/transfer"
)

// alignHint extends an error about different coordinates or dimensions by the flag that ignores the
// difference. Errors about their order are left to OrderHint.
func alignHint(err error) error {
	if err == nil || errors.Is(err, transfer.ErrOrder) || !errors.Is(err, drx.ErrBounds) && !errors.Is(err, drx.ErrRank) {
		return err
	}
	return fmt.Errorf("%w; --as-stored takes the numbers as they are, wherever they belong", err)
}

// OrderHint extends an error about a coordinate that is out of order by the flags and verbs that
// help.
func OrderHint(err error) error {
	var order *transfer.OrderError
	if !errors.As(err, &order) {
		return err
	}
	const sorted = "--any-order appends it all the same, and drx copy --sort then puts the indices in order"
	switch order.Kind {
	case transfer.Repeated:
		return fmt.Errorf("%w; if the file was imported before, leave it out; drx write puts new values in the places of their coordinates, and --any-order has these twice", err)
	case transfer.Missing, transfer.Unknown:
		return fmt.Errorf("%w; --any-order takes it all the same", err)
	case transfer.Unsorted:
		return fmt.Errorf("%w; %s", err, sorted)
	}
	return fmt.Errorf("%w; --low grows at the other end; %s", err, sorted)
}
