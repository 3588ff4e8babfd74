package drxmp

import (
	"os"

	"drx"
	"drx/internal/fileset"
)

// openEngine returns the engine of the options for the files of a membership, collective. If they
// name none, proc 0 chooses one by the file system, for all procs.
func openEngine(m *membership, o Options) (engine, error) {
	name := m.array.Name()
	file := fileset.OnDisk(fileset.OS(), fileset.Data(name))
	e, hints, err := o.chooseEngine(file)
	if err != nil { // the same on all procs
		return nil, errorf(name, "open", err)
	}
	if o.Engine == Auto {
		chosen := []byte{byte(e)}
		if err := m.comm.Broadcast(chosen, 0); err != nil {
			return nil, err
		}
		e = Engine(chosen[0])
	}
	if e != MPIIO {
		return direct{m.array}, nil
	}
	flag := os.O_RDONLY
	if o.Write {
		flag = os.O_RDWR
	}
	opened, err := m.comm.OpenFile(file, flag, hints)
	if err != nil {
		return nil, err
	}
	return &mpiio{membership: m, name: name, file: opened, durable: o.Durability != drx.DurabilityNone}, nil
}
