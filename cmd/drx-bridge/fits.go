//go:build fits

package main

import _ "drx/formats/fits" // registers the format
