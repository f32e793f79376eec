# Shared by ./run and ./test: packages, timed steps, number of jobs. To be sourced; `root` is the repository.
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

# What a build of the command needs, and what the tests need on top.
run_packages=(g++ cmake ninja-build libeigen3-dev libfmt-dev nlohmann-json3-dev libtomlplusplus-dev
  libcli11-dev libhdf5-dev libembree-dev libpng-dev libfreetype-dev fonts-dejavu-core pkg-config libcpp-httplib-dev
  libssl-dev)
test_packages=("${run_packages[@]}" git ccache libgtest-dev pybind11-dev python3-dev python3-numpy clang-format binutils
  libblas3 liblapack3 python3-vtk9 mypy chromium ffmpeg python3-scipy python3-h5py python3-siconos libfclib0)
# These two often come from elsewhere than from Debian, and the packages would then be in conflict.
command -v node >/dev/null || test_packages+=(nodejs)
command -v npm >/dev/null || test_packages+=(npm)

# duration SECONDS: "4 s" or "1 min 12 s"
duration() { if (($1 < 60)); then echo "$1 s"; else echo "$(($1 / 60)) min $(($1 % 60)) s"; fi; }

# step NAME COMMAND...: says what is done and how long it took; returns the status of the command.
step() {
  local name="$1" start="$SECONDS" status=0
  shift
  echo "== $name"
  "$@" || status=$?
  echo "== $name: $( ((status == 0)) && echo done || echo FAILED) in $(duration $((SECONDS - start)))"
  return "$status"
}

# Compilers take up to 1.5 GB each.
jobs_count() {
  local cores memory
  cores="$(nproc)"
  memory="$(awk '/MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo 2>/dev/null || echo "$cores")"
  echo $((memory < 1 ? 1 : memory < cores ? memory : cores))
}

# install_missing PACKAGE...: apt-get is called only if one of them is not installed.
install_missing() {
  if ! command -v dpkg-query >/dev/null; then
    echo "Not a Debian system: these packages, or what they are called here, are needed: $*"
    return
  fi
  local package missing=() as_root=()
  for package in "$@"; do
    [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]} > 0)) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null || {
      echo "Missing packages: ${missing[*]}. Install them as root: apt-get install ${missing[*]}" >&2
      return 1
    }
    as_root=(sudo)
  fi
  step "Install ${missing[*]}" apt_install "${missing[@]}"
}

apt_install() {
  "${as_root[@]}" apt-get update -q -q &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}
