//go:build fits

package main

import _ "drx/bridges/fits" // registers the format
