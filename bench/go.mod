module drx/bench

go 1.26.0

require (
	drx v0.0.0
	github.com/google/go-cmp v0.7.0
	golang.org/x/sys v0.49.0
	gonum.org/v1/gonum v0.17.0
	pgregory.net/rapid v1.3.0
)

require github.com/fsnotify/fsnotify v1.10.1 // indirect

replace drx => ../
