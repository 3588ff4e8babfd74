//go:build hdf5

package main

import _ "drx/bridges/hdf5" // registers the format
