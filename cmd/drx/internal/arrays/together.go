package arrays

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/parallel/drxmp"
)

// ChangeTogether is Change by the processes of a team. f gets the array twice: as each process has
// it open by itself to read what is committed, and for writing by all together.
func ChangeTogether(cmd *cobra.Command, team cli.Team, name string, f func(a *drx.Array, all *drxmp.Array) error) (err error) {
	a, err := drx.Open(name, drx.Options{})
	if err == nil {
		defer func() { err = errors.Join(err, a.Close()) }()
	}
	if err := team.Agree("open of "+name, err); err != nil {
		return err
	}
	all, err := openTogether(cmd, team, name)
	if err != nil {
		return err
	}
	if err := team.Agree("change of "+name, f(a, all)); err != nil {
		return errors.Join(err, all.Discard())
	}
	return all.Close()
}

// openTogether opens an array for writing. The first process decides how often to try, see
// WaitForLock, and the others follow.
func openTogether(cmd *cobra.Command, team cli.Team, name string) (a *drxmp.Array, err error) {
	o := drxmp.Options{Options: drx.Options{Write: true}, Engine: team.Engine}
	attempt := func(again byte) (more bool, failed error) {
		order := []byte{again} // of the first process
		if failed = team.Comm.Broadcast(order, 0); failed != nil || order[0] == 0 {
			return false, failed
		}
		a, err = drxmp.Open(team.Comm, name, o)
		return true, nil
	}
	var failed error
	if team.First() {
		waited := WaitForLock(cmd, name, func() error {
			_, failed := attempt(1)
			return cmp.Or(failed, err)
		})
		_, failed = attempt(0)
		err = waited
	} else {
		for more := true; more; {
			more, failed = attempt(0)
		}
	}
	return a, team.Agree("end of open of "+name, cmp.Or(err, failed))
}
