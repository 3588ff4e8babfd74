package transfer

import (
	"sync"

	"drx/formats/pipe"
	_ "drx/formats/zarr" // registers Zarr
)

// registerFormats registers the formats of drx-bridge, except for those that are linked into this
// program.
var registerFormats = sync.OnceFunc(pipe.Register)

// UseHelper sets the file name of the program drx-bridge, for the whole process and for files that
// are opened from now on. An empty name is the default: the variable DRX_BRIDGE, otherwise the
// program beside this one, otherwise the one on the PATH.
func UseHelper(program string) { pipe.UseHelper(program) }
