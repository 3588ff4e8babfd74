//go:build gdal

package main

import _ "drx/formats/gdal" // registers the format
