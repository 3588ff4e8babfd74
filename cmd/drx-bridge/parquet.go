//go:build parquet

package main

import _ "drx/formats/parquet" // registers the format
