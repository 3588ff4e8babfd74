//go:build gdal

package main

import _ "drx/bridges/gdal" // registers the format
