# shellcheck shell=bash
# Shared by the scripts of this folder: paths, Debian packages, the wasm runtime.
# Source it; it sets no shell options of its own.

AOTSCOPE_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
AOTSCOPE_BUILD=${AOTSCOPE_BUILD:-$AOTSCOPE_ROOT/build}
export AOTSCOPE_BUILD

# The return code of a failure that only says "no registry can be reached", so
# that a test can skip for it and still fail for everything else.
# shellcheck disable=SC2034  # read by the scripts that source this file
OFFLINE=75

# What `cmake --preset …` needs.
# shellcheck disable=SC2034
build_packages=(
  build-essential cmake ninja-build pkg-config
  clang llvm libbpf-dev bpftool             # kernel side, its skeleton
  libcapstone-dev libcli11-dev libfmt-dev libexpected-dev nlohmann-json3-dev
  libsqlite3-dev libncurses-dev libprotozero-dev zlib1g-dev libelf-dev
  libxxhash-dev libssl-dev catch2
)

# What tools/inputs needs for wasm from C, and for the runtime's Python wheels.
# shellcheck disable=SC2034
input_packages=(clang lld wasi-libc libclang-rt-14-dev-wasm32 python3-venv)

# What the integration tests call.
# shellcheck disable=SC2034
test_packages=(linux-perf sqlite3 tmux procps bpftrace util-linux)

# One exact pre-release: the .cwasm layout and the code generator's habits are
# what the readers were checked against.
wamr_version=3.0.0.dev5

say() { printf '%s\n' "$*" >&2; }

# fail MESSAGE [HINT]
fail() {
  say "${0##*/}: error: $1"
  [ $# -lt 2 ] || say "hint: $2"
  exit 1
}

# run_logged LOG COMMAND…: quiet while it works, the log's end when it does not.
run_logged() {
  local log=$1 rc=0
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 </dev/null || rc=$?
  [ $rc -eq 0 ] || { say "${0##*/}: failed ($rc): $*"; tail -n 40 "$log" >&2; say "log: $log"; }
  return $rc
}

# need_packages PKG…: install the missing ones only. With nothing missing it is
# one dpkg-query, silent, and needs neither root nor a network.
need_packages() {
  local have missing=() sudo=() pkg
  have=$(dpkg-query -W -f='${binary:Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    sed -n 's/^\([^ :]*\)[^ ]* installed$/ \1 /p' || true)
  for pkg in "$@"; do
    [[ $have == *" $pkg "* ]] || missing+=("$pkg")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing: ${missing[*]}"
  [ "$(id -u)" -eq 0 ] || sudo=(sudo -n)
  run_logged "$AOTSCOPE_BUILD/log/apt-update.log" "${sudo[@]}" apt-get -q update || return 1
  run_logged "$AOTSCOPE_BUILD/log/apt-install.log" "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qy --no-install-recommends install "${missing[@]}"
}

# need_runtime: wamr and wamrc in a Python environment of this build, their
# paths in WAMR and WAMRC. Returns $OFFLINE when the registry is out of reach.
need_runtime() {
  local venv=$AOTSCOPE_BUILD/runtime stamp log=$AOTSCOPE_BUILD/log/runtime.log
  stamp=$venv/.installed-$wamr_version
  mkdir -p "$AOTSCOPE_BUILD/log"
  # Two scripts at once must not build the same environment over each other.
  if [ ! -e "$stamp" ]; then
    (
      flock 9
      [ ! -e "$stamp" ] || exit 0
      need_packages python3-venv || exit 1
      rm -rf "$venv"
      # Debian's own interpreter: python3-venv gives ensurepip to that one only,
      # whatever other python3 is first on PATH.
      run_logged "$log" /usr/bin/python3 -m venv "$venv" || exit 1
      if ! "$venv/bin/pip" --disable-pip-version-check --retries 1 install \
          "wamr-bin==$wamr_version" "wamrc-bin==$wamr_version" >>"$log" 2>&1 </dev/null; then
        if grep -qE 'NewConnectionError|NameResolutionError|ConnectTimeoutError|ReadTimeoutError|Temporary failure|Network is unreachable|ProxyError|Connection (refused|broken|reset)' "$log"; then
          say "${0##*/}: error: wamr-bin $wamr_version is not installed and the package registry cannot be reached"
          exit "$OFFLINE"
        fi
        say "${0##*/}: error: pip could not install wamr-bin and wamrc-bin $wamr_version"
        tail -n 5 "$log" >&2
        exit 1
      fi
      touch "$stamp"
    ) 9>"$AOTSCOPE_BUILD/log/runtime.lock" || return $?
  fi
  WAMR=$venv/bin/wamr
  WAMRC=$venv/bin/wamrc
  export WAMR WAMRC
}
