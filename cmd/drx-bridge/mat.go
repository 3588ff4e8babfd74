//go:build matio

package main

import _ "drx/formats/mat" // registers the format
