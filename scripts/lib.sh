#!/usr/bin/env bash
# Builds libdrx, and installs it.
#
#   lib.sh build FOLDER                    libdrx.so.1 with the link libdrx.so, libdrx.a, and the Fortran module in FOLDER/fortran
#   lib.sh install FOLDER PREFIX [DESTDIR] these, the headers, the *.pc and the manual page, below DESTDIR/PREFIX
#
# VERSION is the version for drx_version() and drx.pc. KINDS limits what is built: some of "so",
# "a", "fortran", and, if Open MPI is installed, "mp": libdrxmp.so.1 and libdrxmp.a, which contain
# libdrx and DRX-MP, or "mpso": the first one only; with MPI=mpich they are for MPICH. FC is the
# Fortran compiler, by default gfortran, with the flags FFLAGS; without a compiler only the source
# of the module is installed.
set -euo pipefail
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly sources
readonly version=${VERSION:-devel}
# The files of the Fortran module, in the order of their dependencies.
readonly fortran=(c.f90 support.f90 sections.f90 attributes.f90 arrays.f90 transfers.f90 elements.f90 datasets.f90 names.f90 drx.f90)

command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
export GOFLAGS="${GOFLAGS:-} -buildvcs=false" CGO_ENABLED=1

# compile MODE FILE LDFLAGS: without the C library's resolver, which the library does not need.
compile() {
	(cd "$sources" && go build -trimpath -tags "netgo,osusergo${tags:-}" -buildmode="$1" -ldflags "-s -w -X main.version=$version $3" -o "$2" ./cmd/libdrx)
}

# build_so FOLDER [NAME]: exports only the names of the headers, with the version of
# cmd/libdrx/NAME.map.
build_so() {
	local name=${2:-drx}
	compile c-shared "$1/lib$name.so.1" "-extldflags '-Wl,--version-script=$sources/cmd/libdrx/$name.map -Wl,-soname,lib$name.so.1'"
	rm -f "$1/lib$name.so.h"
	ln -sf "lib$name.so.1" "$1/lib$name.so"
}

# build_a FOLDER [NAME]: links all objects into one, in which the constructors keep their order,
# common symbols are allocated (-d), and only the names of the headers are visible.
build_a() {
	local objects name=${2:-drx}
	objects=$(mktemp -d)
	compile c-archive "$objects/go.a" ''
	(
		cd "$objects"
		ar x go.a
		ld -r -d -o drx.o go.o 0*.o
		objcopy --wildcard --keep-global-symbol='drx_*' --keep-global-symbol='xta*' --keep-global-symbol='drxmp_*' --keep-global-symbol='DRXMP_*' drx.o
		rm -f lib.a && ar rcs lib.a drx.o
	)
	mv "$objects/lib.a" "$1/lib$name.a"
	rm -r "$objects"
}

# build_fortran: the source of the module, for any compiler, and for one compiler the libraries and
# the module files.
build_fortran() {
	local fc=${FC:-gfortran} flags="-std=f2018 -O1 -fPIC -frecursive ${FFLAGS:-}"
	rm -rf "$1/fortran"
	mkdir "$1/fortran"
	(
		cd "$1/fortran"
		cat "${fortran[@]/#/$sources/fortran/src/}" >drx.f90
		if ! command -v "$fc" >/dev/null; then
			echo "lib.sh: no $fc: the Fortran module is not compiled" >&2
			exit 0
		fi
		[[ $fc == *gfortran* ]] || flags=${FFLAGS:?lib.sh: FFLAGS must have the flags of FC for position independent code}
		# shellcheck disable=SC2086 # flags are several words
		"$fc" $flags -c drx.f90 -o drx.o
		ar rcs libdrx_fortran.a drx.o
		# libdrx is in the same folder, wherever that is installed
		"$fc" -shared -Wl,-soname,libdrx_fortran.so.1 -Wl,-rpath,'$ORIGIN' -o libdrx_fortran.so.1 drx.o -L.. -ldrx
		ln -s libdrx_fortran.so.1 libdrx_fortran.so
		rm drx.o
	)
}

# mpi_package: the name of the MPI for pkg-config.
mpi_package() { [[ ${MPI:-} == mpich ]] && echo mpich || echo ompi-c; }

have_mpi() { command -v pkg-config >/dev/null && pkg-config --exists "$(mpi_package)"; }

build_mpso() {
	local tags=",mpi${MPI:+,$MPI}"
	build_so "$1" drxmp
}

build_mp() {
	local tags=",mpi${MPI:+,$MPI}"
	build_mpso "$1"
	build_a "$1" drxmp
}

build() {
	local out kind
	mkdir -p "$1"
	out=$(cd "$1" && pwd)
	for kind in ${KINDS:-so a fortran $(have_mpi && echo mp)}; do "build_$kind" "$out"; done
}

install_lib() {
	local from=$1 prefix=$2 to=${3:-}$2
	install -d "$to/lib/pkgconfig" "$to/include" "$to/share/man/man3"
	install -m 755 "$from/libdrx.so.1" "$to/lib"
	ln -sf libdrx.so.1 "$to/lib/libdrx.so"
	[[ ! -f $from/libdrx.a ]] || install -m 644 "$from/libdrx.a" "$to/lib"
	install -m 644 "$sources/include/drx.h" "$sources/include/drx.hpp" "$to/include"
	install -m 644 "$sources/cmd/libdrx/drx.3" "$to/share/man/man3"
	package drx 'arrays in files that grow along any dimension' "$prefix" 'Libs: -L${libdir} -ldrx' 'Libs.private: -pthread' \
		'Cflags: -I${includedir}' >"$to/lib/pkgconfig/drx.pc"
	[[ ! -d $from/fortran ]] || install_fortran "$from/fortran" "$prefix" "$to"
}

# install_fortran FOLDER PREFIX TO: the module's source and the compiled files.
install_fortran() {
	install -d "$3/include/drx-fortran"
	install -m 644 "$1/drx.f90" "$3/include/drx-fortran"
	[[ -f $1/libdrx_fortran.so.1 ]] || return 0
	install -m 644 "$1"/*.mod "$3/include/drx-fortran"
	install -m 755 "$1/libdrx_fortran.so.1" "$3/lib"
	ln -sf libdrx_fortran.so.1 "$3/lib/libdrx_fortran.so"
	install -m 644 "$1/libdrx_fortran.a" "$3/lib"
	package drx-fortran 'the Fortran module drx' "$2" 'Requires: drx' 'Libs: -L${libdir} -ldrx_fortran' \
		'Cflags: -I${includedir}/drx-fortran' >"$3/lib/pkgconfig/drx-fortran.pc"
}

# package NAME DESCRIPTION PREFIX LINE...: a file for pkg-config.
package() {
	cat <<PC
prefix=$3
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: $1
Description: $2
Version: ${version#v}
PC
	printf '%s\n' "${@:4}"
}

# install_mp FROM TO: libdrxmp. Its .pc file is made from the one of libdrx.
install_mp() {
	install -m 755 "$1/libdrxmp.so.1" "$2/lib"
	ln -sf libdrxmp.so.1 "$2/lib/libdrxmp.so"
	[[ ! -f $1/libdrxmp.a ]] || install -m 644 "$1/libdrxmp.a" "$2/lib"
	install -m 644 "$sources/include/drxmp.h" "$2/include"
	install -m 644 "$sources/cmd/libdrx/drxmp.3" "$2/share/man/man3"
	sed "s/^Name: drx$/Name: drxmp/; s/^Description: .*/&, for programs of MPI/; s/-ldrx$/-ldrxmp/; s|-pthread|& $(pkg-config --libs "$(mpi_package)")|" \
		"$2/lib/pkgconfig/drx.pc" >"$2/lib/pkgconfig/drxmp.pc"
}

case ${1:-} in
build) build "$2" ;;
install)
	install_lib "$2" "$3" "${4:-}"
	[[ ! -f $2/libdrxmp.so.1 ]] || install_mp "$2" "${4:-}$3"
	;;
*) echo "lib.sh: build FOLDER, or install FOLDER PREFIX [DESTDIR]" >&2 && exit 2 ;;
esac
