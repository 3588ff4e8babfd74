#!/usr/bin/env bash
# Compares DRX with its peers, after installing those that are missing (as root on Debian). On other
# systems the benchmark names the missing ones and skips them. Arguments are passed on to the
# benchmark: scripts/bench.sh -help. The first argument -mp selects the benchmark of DRX-MP.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
export GOFLAGS="${GOFLAGS:-} -buildvcs=false" # the sources need not be in git

packages=(gcc libc6-dev pkg-config)
if [[ ${1:-} == -mp ]]; then
	packages+=(openmpi-bin libopenmpi-dev libhdf5-openmpi-dev libpnetcdf-dev)
	# Global Arrays, whose Debian package lacks dependencies.
	packages+=(libglobalarrays-dev libarmci-mpi-dev libscalapack-openmpi-dev gfortran liblapack-dev libblas-dev libopenblas-dev)
else
	packages+=(libhdf5-dev hdf5-tools libnetcdf-dev netcdf-bin python3-zarr python3-numpy python3-h5py python3-xarray python3-dask python3-distributed
		libblosc-dev hdf5-filter-plugin-blosc-serial python3-numcodecs)
fi
missing=()
if command -v apt-get >/dev/null && ((EUID == 0)); then
	for p in "${packages[@]}"; do
		dpkg-query -Wf '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
	done
fi
if ((${#missing[@]} > 0)); then
	echo "installing ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; } ||
		echo 'bench.sh: could not install them: these peers are left out' >&2
fi
mkdir -p bin
CGO_ENABLED=0 go -C bench build -o ../bin/drx-bench .
if [[ ${1:-} != -mp ]]; then # the imports are measured with the released program
	CGO_ENABLED=0 go build -o bin/ ./cmd/drx
	KINDS=so scripts/lib.sh build lib || echo 'bench.sh: without lib/libdrx.so: C and Python are left out' >&2
	scripts/bridge.sh || echo 'bench.sh: without bin/drx-bridge: imports are left out' >&2
fi
exec bin/drx-bench "$@"
