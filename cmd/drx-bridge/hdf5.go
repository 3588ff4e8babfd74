//go:build hdf5

package main

import _ "drx/formats/hdf5" // registers the format
