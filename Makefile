# The one place that knows how DRX is built and tested; see CONTRIBUTING.md.

VERSION   := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
STATIC    := CGO_ENABLED=0
FLAGS     := -trimpath -buildvcs=false -ldflags '-X main.version=$(VERSION)'
# The library is installed where it is tested: on Linux, with gcc.
LIB       := $(if $(shell test "$$(uname)" = Linux && command -v gcc),install-lib)
BENCH     ?= .
BENCHTIME ?= 1s

.PHONY: help build bridge lib pexta man install install-lib test quick soak lint bench bench-mp bench-codecs microbench demo fuzz fmt clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

build: ## build the static binaries bin/drx and bin/drxmp (with MPI: go build -tags mpi -o bin/ ./cmd/drxmp)
	$(STATIC) go build $(FLAGS) -o bin/ ./cmd/drx ./cmd/drxmp

bridge: ## build bin/drx-bridge, which reads HDF5, NetCDF, FITS, MAT and GDAL's formats for drx, with the libraries that are here
	scripts/bridge.sh -trimpath -ldflags '-X main.version=$(VERSION)'

lib: ## build lib/libdrx.so and lib/libdrx.a for C, C++ and others, with gfortran the Fortran module, with Open MPI libdrxmp (needs gcc; docs/C.md, FORTRAN.md, MPI.md)
	VERSION='$(VERSION)' scripts/lib.sh build lib

pexta: ## build bin/libpexta.a and bin/pexta-check for programs that use Global Arrays (docs/PEXTA.md)
	VERSION='$(VERSION)' scripts/pexta.sh

man: build ## write the manual pages man/*.1
	rm -rf man
	bin/drx man man
	bin/drxmp man man

ifdef PREFIX
install: man $(LIB)
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1'
	install bin/drx bin/drxmp $(wildcard bin/drx-bridge) '$(DESTDIR)$(PREFIX)/bin'
	test ! -f bin/libpexta.a || scripts/pexta.sh install '$(PREFIX)' '$(DESTDIR)'
	install -m 644 man/*.1 '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -d '$(DESTDIR)$(PREFIX)/share/bash-completion/completions' '$(DESTDIR)$(PREFIX)/share/zsh/site-functions' \
		'$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d'
	bin/drx completion bash > '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/drx'
	bin/drx completion zsh > '$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_drx'
	bin/drx completion fish > '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/drx.fish'
else
install: ## install drx and drxmp where go install puts programs, or all that is built, with the library, to PREFIX=/usr/local
	$(STATIC) go install $(FLAGS) ./cmd/drx ./cmd/drxmp
endif

install-lib: lib ## install only the library, its headers, the Fortran module and the *.pc to PREFIX
	VERSION='$(VERSION)' scripts/lib.sh install lib '$(or $(PREFIX),$(error install-lib needs PREFIX=/usr/local))' '$(DESTDIR)'

test: ## build everything, check everything, run every test and print the counts
	scripts/test.sh

quick: ## build, check the sources and run the tests of the core, in about two minutes: for those who work
	scripts/test.sh quick

soak: ## run tests that take too long for make test: crashes in all states, a million calls from C and from Python, a hundred kills of parallel programs, large flows
	scripts/test.sh soak

lint: ## check the sources only: vet, staticcheck, gofumpt, house rules, go.mod
	scripts/test.sh lint

bench: ## measure DRX beside its peers (SHORT=1: two minutes; ONLY=pattern)
	scripts/bench.sh $(if $(SHORT),-short) $(if $(ONLY),-only '$(ONLY)')

bench-mp: ## measure DRX-MP beside parallel HDF5, PnetCDF, MPI-IO and DRA (SHORT=1: two minutes)
	scripts/bench.sh -mp $(if $(SHORT),-short) $(if $(ONLY),-only '$(ONLY)')

bench-codecs: ## measure compressed arrays beside HDF5, zarr and C-Blosc, on public data below DRX_DATA, and in parallel (SHORT=1)
	scripts/bench.sh $(if $(SHORT),-short) -only '^codecs'
	scripts/bench.sh -mp $(if $(SHORT),-short) -only '^mp-codecs$$'

microbench: ## run the benchmarks of the packages (BENCH=pattern, BENCHTIME=1s)
	for module in . bench; do (cd $$module && go test -run '^$$' -bench '$(BENCH)' -benchmem -benchtime $(BENCHTIME) \
		$$(grep -rl --include='*_test.go' --exclude-dir=bench '^func Benchmark' . | xargs -n 1 dirname | sort -u)) || exit; done

demo: build ## take the tour: writes into the folder demo
	bin/drx demo

fuzz: ## run every fuzz target for longer (FUZZTIME=60s each)
	FUZZTIME=$${FUZZTIME:-60s} scripts/test.sh fuzz

fmt: ## format all Go files
	scripts/test.sh format

clean: ## remove what was built
	rm -rf bin demo lib man
