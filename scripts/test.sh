#!/usr/bin/env bash
# Builds, checks and tests DRX. Without arguments it does everything, otherwise only the parts
# named: build lint test quick soak fuzz format.
#
# A fresh Debian 12 with Go, gcc, make and git is enough: Go tools are built into bin/tools, and
# Debian packages for the build tags in use (scripts/tags) are installed, as root, if they are
# missing. Every step runs even if an earlier one failed. The last line counts tests; each failed
# step that is not a test counts as one failure.
#
#   FUZZTIME  how long each fuzz target runs, as a time or a number of inputs; 5000x by
#             default: with a time, a busy machine now and then fails at the deadline
#   TAGS      the build tags to try, by default all that occur in the sources
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
export GOFLAGS="${GOFLAGS:-} -buildvcs=false" # the sources need not be in git
# Without these, Open MPI refuses to run as root, or to start more processes than there are cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

readonly gofumpt=mvdan.cc/gofumpt@v0.12.0
readonly staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
readonly tools=$PWD/bin/tools
readonly root=$PWD
readonly modules=(. bench) # import paths follow folders: drx, drx/bench
counts=$(mktemp)   # a line for each run of tests: number of passed and failed tests
failures=$(mktemp) # a line for each step that failed
readonly counts failures
trap 'rm -f "$counts" "$failures"' EXIT

# step NAME COMMAND...: runs a step in a subshell and prints how long it took.
step() {
	local name=$1 start=$SECONDS status=0
	shift
	printf '\n== %s\n' "$name"
	set +e # in a condition, -e would have no effect inside the command
	(
		set -e
		"$@"
	)
	status=$?
	set -e
	if ((status != 0)); then
		printf '%s\n' "$name" >>"$failures"
		printf -- '-- %s: FAILED, %d s\n' "$name" $((SECONDS - start))
	else
		printf -- '-- %s: %d s\n' "$name" $((SECONDS - start))
	fi
}

# steps NAME COMMAND...: runs the step once in every module.
steps() {
	local name=$1 module
	shift
	for module in "${modules[@]}"; do
		if [[ $module == . ]]; then
			step "$name" "$@"
		else
			step "$name, module $module" inside "$module" "$@"
		fi
	done
}

# beside STEPS MORE: runs two functions at the same time, neither of which needs all processors. The
# output of the second one is printed when both have ended.
beside() {
	local kept second
	kept=$(mktemp)
	"$2" >"$kept" 2>&1 &
	second=$!
	"$1"
	wait "$second" || true
	cat "$kept"
	rm "$kept"
}

inside() {
	cd "$1"
	shift
	"$@"
}

# folders PATTERN [NAME [BUT]]: the folders of this module with a file in which a line matches. NAME
# selects the files, by default *.go, and BUT excludes some.
folders() {
	{ grep -rlE --include="${2:-*.go}" --exclude="${3:-}" --exclude-dir=bin --exclude-dir=bench --exclude-dir=testdata "$1" . || true; } |
		xargs -r -n 1 dirname | sort -u
}

# tags_in_use: the build tags in the sources that are not names of systems.
tags_in_use() {
	if [[ -v TAGS ]]; then
		tr -s ', ' '\n' <<<"$TAGS" | sed '/^$/d'
		return
	fi
	local words
	words=$({
		go tool dist list | tr / '\n'
		printf '%s\n' asan cgo gc gccgo ignore msan race unix
	} | sort -u)
	{ grep -rh --include='*.go' --exclude-dir=bin '^//go:build ' . || true; } |
		sed 's,^//go:build ,,' | { grep -oE '[A-Za-z_][A-Za-z0-9_.]*' || true; } |
		{ grep -vE '^go1\.' || true; } | sort -u | comm -23 - <(echo "$words")
}

# tag_sets: the arguments for -tags, one build per line: first all tags that can be combined, then
# the separate builds. Only tags in use count.
tag_sets() {
	local used together='' tags packages
	used=$(tags_in_use)
	while read -r tags packages; do
		[[ $tags == *,* ]] || ! grep -qx "$tags" <<<"$used" || together+=${together:+,}$tags
	done < <(grep -v '^#' scripts/tags)
	[[ -z $together ]] || echo "$together"
	while read -r tags packages; do
		[[ $tags == *,* ]] || continue
		[[ -n $(tr ',' '\n' <<<"$tags" | sed '/^$/d' | grep -vxFf <(echo "$used")) ]] || echo "${tags%,}"
	done < <(grep -v '^#' scripts/tags)
}

# debian_packages: installs the missing packages for the tags in use.
debian_packages() {
	local used tag tags packages p known missing=()
	used=$(tags_in_use)
	known=$(grep -v '^#' scripts/tags | awk '{ print $1 }' | tr ',' '\n')
	for tag in $used; do
		if ! grep -qx "$tag" <<<"$known"; then
			echo "build tag $tag: not in scripts/tags; add it with the packages it needs"
			return 1
		fi
	done
	while read -r tags packages; do
		for tag in ${tags//,/ }; do
			grep -qx "$tag" <<<"$used" || continue 2
		done
		for p in $packages; do
			dpkg-query -Wf '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
		done
	done < <(grep -v '^#' scripts/tags)
	mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sed '/^$/d' | sort -u) # several tags need pkg-config
	echo "tags in use: ${used//$'\n'/ }; packages missing: ${missing[*]:-none}"
	if ((${#missing[@]} > 0)); then
		export DEBIAN_FRONTEND=noninteractive
		apt-get update -qq
		apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
	fi
}

go_tools() {
	go version
	GOBIN=$tools go install "$gofumpt"
	GOBIN=$tools go install "$staticcheck"
	go build -o "$tools/testreport" ./scripts/testreport
}

cross_build() { CGO_ENABLED=0 GOOS=$1 GOARCH=$2 go build ./...; }

static_build() { CGO_ENABLED=0 go build ./...; }

tagged_build() {
	go build -tags "$1" ./...
	go vet -tags "$1" ./...
}

formatted() {
	local files
	files=$("$tools/gofumpt" -l .)
	[[ -z $files ]] || { printf 'not formatted as gofumpt does:\n%s\n' "$files" && return 1; }
}

# house_rules: runs scripts/house for all variants of the build.
house_rules() {
	local sets
	mapfile -t sets < <(tag_sets)
	go run ./scripts/house "${sets[@]}"
}

tidy() {
	go mod tidy -diff
	local complaints # also of the module that is replaced by a folder, which has no hash
	complaints=$(go mod verify 2>&1 | grep -vE '^(all modules verified|drx v0\.0\.0: missing ziphash.*)$') || return 0
	printf '%s\n' "$complaints"
	return 1
}

# run_tests ARGUMENTS...: go test with report and counts. go vet is a separate step.
run_tests() { go test -vet=off -json -count=1 -timeout "${TEST_TIMEOUT:-40m}" "$@" | "$tools/testreport" "$counts"; }

# These packages are programs. They are tested without the race detector, because most of their work
# is done by the libraries, or in processes that their tests start.
readonly programs='^(drx|\.)/(cmd|apps|examples|python|scripts|bench)(/|$)'

# racing: the import paths of the libraries that are tested with the race detector: those whose
# files, or tests, start goroutines or use locks.
racing() { folders '^[[:space:]]*(go (func\b|[[:alnum:]_.]+\()|(import )?"sync(/atomic)?"$)' | grep -vE "$programs" | sed 's,^\.,drx,'; }

# test_packages TAGS PACKAGE...: tests packages, some of them with the race detector. Without GORACE
# a process would wait for a second at its end.
test_packages() {
	local tags=$1 with=() without=() package racing status=0
	racing=$(cd "$root" && racing)
	shift
	for package in "$@"; do
		if grep -qxF "$package" <<<"$racing"; then with+=("$package"); else without+=("$package"); fi
	done
	((${#with[@]} == 0)) || GORACE=atexit_sleep_ms=20 run_tests -race -tags "$tags" "${with[@]}" || status=1
	((${#without[@]} == 0)) || run_tests -tags "$tags" "${without[@]}" || status=1
	return $status
}

# all_tests: tests all packages of a module.
all_tests() {
	local packages
	packages=$(go list ./...)
	# shellcheck disable=SC2086 # one word per package
	test_packages '' $packages
}

# memory_tests: the tests named TestMemory..., which measure the memory of a process. They run
# without the race detector, which needs more.
memory_tests() {
	local dirs
	dirs=$(folders '^func TestMemory' '*_test.go')
	[[ -n $dirs ]] || return 0
	# shellcheck disable=SC2086 # one word per folder
	run_tests -run '^TestMemory' $dirs
}

# in_memory: from here on, keeps temporary files in memory if there is enough of it: the tests sync
# thousands of states, which on a disk takes most of their time.
in_memory() {
	local free
	free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) || return 0
	((free > 4 << 20)) || return 0
	TMPDIR=$(mktemp -d -p /dev/shm)
	export TMPDIR
	trap 'rm -rf "$TMPDIR"' EXIT
}

# enumerating_tests: the tests of libraries that enumerate states. Without DRX_SOAK only those that
# are tested with the race detector, under which they try few of the states, see internal/enumtest:
# the others have tried their states already.
enumerating_tests() {
	local names dirs
	names=$(sed -n 's/^const Names = "\(.*\)"$/\1/p' internal/enumtest/enumtest.go)
	dirs=$(folders '"drx/internal/enumtest"' '*_test.go' | grep -vE "$programs" | sed 's,^\.,drx,')
	[[ -v DRX_SOAK ]] || dirs=$(grep -xF "$(racing)" <<<"$dirs")
	in_memory
	# shellcheck disable=SC2086 # one word per folder
	run_tests -run "^Test.*(${names:?})" $dirs
}

# tagged_tests TAGS: tests the packages with such a tag in their sources, and those that import,
# directly or not, a package (of any module) with such a tag outside of its tests.
tagged_tests() {
	local packages
	packages=$(go list -tags "$1" -f '{{.ImportPath}} {{join .Deps " "}}' ./... |
		awk -v tagged="$(tagged_packages "$1" '' | tr '\n' ' ')" -v imported="$(tagged_packages "$1" '*_test.go' | tr '\n' ' ')" '
			BEGIN {
				n = split(tagged, t); for (i = 1; i <= n; i++) itself[t[i]] = 1
				n = split(imported, t); for (i = 1; i <= n; i++) imports[t[i]] = 1
			}
			$1 in itself { print $1; next }
			{ for (i = 2; i <= NF; i++) if ($i in imports) { print $1; next } }')
	# Of apps and bench, only the tests that need MPI: the others have run without tags.
	local users=() others=() package status=0
	for package in $packages; do
		if [[ $package == drx/apps/* || $package == drx/bench ]]; then users+=("$package"); else others+=("$package"); fi
	done
	test_packages "$1" "${others[@]}" || status=1
	((${#users[@]} == 0)) || run_tests -tags "$1" -run 'Mpirun|Job|Agree' "${users[@]}" || status=1
	return $status
}

# tagged_packages TAGS BUT: the packages of all modules that are part of the build with these tags
# and have one of the tags in a file whose name does not match BUT.
tagged_packages() {
	local module dirs
	for module in "${modules[@]}"; do
		cd "$root/$module"
		dirs=$(folders "^//go:build .*\b(${1//,/|})\b" '*.go' "$2")
		# shellcheck disable=SC2086 # one word per folder
		[[ -z $dirs ]] || go list -e -tags "$1" -f '{{if or .GoFiles .CgoFiles .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' $dirs
	done
}

# fuzz_folder FOLDER: runs every fuzz target of a package for a bounded time, one after the other.
fuzz_folder() {
	local target status=0
	for target in $(go test -list '^Fuzz' "$1" | grep '^Fuzz' || true); do
		go test -vet=off -json -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-5000x}" -parallel 1 -timeout 15m "$1" |
			"$tools/testreport" "$counts" || status=1
	done
	return $status
}

# fuzz_all: runs every fuzz target of a module, one package per processor at a time.
fuzz_all() {
	export -f fuzz_folder
	export tools counts
	folders '^func Fuzz' '*_test.go' | xargs -r -P "$(nproc)" -n 1 bash -o pipefail -c 'fuzz_folder "$1"' fuzz_folder
}

part_build() {
	local set
	steps 'build without cgo' static_build
	steps 'build with cgo' go build ./...
	steps 'build for linux/386' cross_build linux 386
	steps 'build for darwin/arm64' cross_build darwin arm64
	for set in $(tag_sets); do
		steps "build and vet with tags $set" tagged_build "$set"
	done
}

part_lint() {
	steps 'go vet' go vet ./...
	steps 'staticcheck' "$tools/staticcheck" ./...
	step 'gofumpt' formatted
	step 'house rules' house_rules
	steps 'go.mod' tidy
}

part_test() { beside plain_tests other_tests; }

plain_tests() { steps 'tests' all_tests; }

other_tests() {
	local set
	steps 'tests of memory' memory_tests
	step 'tests of states' enumerating_tests
	for set in $(tag_sets); do
		steps "tests with tags $set" tagged_tests "$set"
	done
}

# core_tests: the tests of arrays and of the packages below them, short and without the race
# detector.
core_tests() {
	in_memory
	run_tests -short . ./nd ./dtype ./axial ./curve ./memory ./internal/...
}

part_quick() {
	step 'build without cgo' static_build
	step 'go vet' go vet ./...
	step 'gofumpt' formatted
	step 'house rules' house_rules
	step 'tests of the core' core_tests
}

# soak_tests: the tests that with DRX_SOAK make a million calls of a kind, overwrite compressed
# chunks 25,000 times for each codec and form, join 100,000 pairs of files, kill a verb before each
# of its operations, use mounts for minutes, read 2.7 GB with workers of dask that have 400 MB, or
# kill workers that write twenty times; without it they do less.
soak_tests() {
	CI=true DRX_SOAK=1 go test -json -count=1 -timeout 2h -run '^TestOverwritesTakeNoMore$|^TestPrograms$/^threads$|^TestPython$/^test_(calls|dask_memory|dask_write)$|^TestPairsAsXarray$|^TestKilledDatasets$|^TestMountsOfFUSE$' . ./cmd/libdrx ./cmd/drx ./cmd/drx/internal/ingest ./python |
		"$tools/testreport" "$counts"
}

# cluster_beside_zarr: dask's workers with DRX and with zarr, the same work in one run.
cluster_beside_zarr() { scripts/bench.sh -only '^cluster$'; }

# kill_tests: kills a parallel program a hundred times (make test: four times), makes 2000 random
# histories (make test: 50), and compares with DRA for any number of processes.
kill_tests() {
	CI=true DRX_SOAK=1 DRX_KILLS=50 DRX_PEXTA_HISTORIES=2000 go test -json -count=1 -timeout 2h -tags ga,mpi -run '^TestKilled$|^TestHistories$|^TestConformance$|^TestJobs$' ./cmd/libpexta | "$tools/testreport" "$counts"
}

# table_tests: compares tables of columns with DuckDB, in a module of its own: its library is large.
table_tests() {
	(cd bench/duckdb && go test -json -count=1 -timeout 30m .) | "$tools/testreport" "$counts"
}

# published_tests: simulates the Lennard-Jones fluid and compares with published values.
published_tests() {
	DRX_SOAK=1 go test -json -count=1 -timeout 2h -run '^TestPublished$' ./apps/md | "$tools/testreport" "$counts"
}

# flow_tests: compares flows on grids that take minutes with published ones.
flow_tests() {
	DRX_SOAK=1 go test -json -count=1 -timeout 4h -run '^TestSoak$' ./apps/lbm | "$tools/testreport" "$counts"
}

all_states() {
	export DRX_SOAK=1 TEST_TIMEOUT=2h
	enumerating_tests
}

part_soak() {
	step 'tests of all states' all_states
	step 'published values of the Lennard-Jones fluid' published_tests
	step 'long tests' soak_tests
	step 'a cluster of dask beside zarr' cluster_beside_zarr
	step 'flows' flow_tests
	step 'kills of parallel programs' kill_tests
	step 'tables of DuckDB' table_tests
}

part_fuzz() { steps 'fuzz targets' fuzz_all; }

part_format() { step 'format' "$tools/gofumpt" -w .; }

# summary: prints the failed steps and the counts. A step that failed because of tests is already in
# the counts.
summary() {
	local passed failed name
	read -r passed failed < <(awk '{ p += $1; f += $2 } END { print p + 0, f + 0 }' "$counts")
	while read -r name; do
		echo "failed: $name"
		[[ $failed -gt 0 && $name =~ ^(tests|fuzz) ]] || failed=$((failed + 1))
	done <"$failures"
	echo "$SECONDS s in all"
	echo "$passed passed, $failed failed"
	((failed == 0))
}

parts=("$@")
((${#parts[@]} > 0)) || parts=(build lint test fuzz)
for part in "${parts[@]}"; do
	declare -F "part_$part" >/dev/null || { echo "test.sh: no part $part: build lint test quick soak fuzz format" >&2 && exit 2; }
done
[[ ! " ${parts[*]} " =~ ' build '|' test '|' soak ' ]] || step 'Debian packages' debian_packages
step 'Go tools' go_tools
for part in "${parts[@]}"; do "part_$part"; done
echo
summary
