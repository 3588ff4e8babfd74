//go:build netcdf

package main

import _ "drx/formats/netcdf" // registers the formats
