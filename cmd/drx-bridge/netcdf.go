//go:build netcdf

package main

import _ "drx/bridges/netcdf" // registers the formats
