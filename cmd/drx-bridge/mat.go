//go:build matio

package main

import _ "drx/bridges/mat" // registers the format
