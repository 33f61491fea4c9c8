#!/usr/bin/env bash
# Makes a virtual environment with the libraries that `bench --peers` compares Lemma with: the newest
# PyTorch and JAX of Python's package index, or Debian's python3-torch where that is not to be had.
#
#   tools/bench/install_peers.sh [FOLDER]       default: $LEMMA_PEERS, else ~/.cache/lemma-peers
#
# They take some 6 GB. Nothing of Lemma needs them. Run it again to bring them up to date.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
source "$here/../../bazelw"
set +e

folder=${1:-${LEMMA_PEERS:-$HOME/.cache/lemma-peers}}
python=$folder/bin/python3
status=0

note() { printf 'install_peers: %s\n' "$*"; }

make_environment() {
  python3 -m venv "$@" "$folder" || {
    (install_missing python3 python3-venv) && python3 -m venv "$@" "$folder"
  }
}

# newest PACKAGE...: installs or updates from the package index.
newest() { "$python" -m pip install --quiet --upgrade "$@"; }

# version MODULE: its version, nothing where it cannot be imported.
version() { "$python" -c "import $1; print($1.__version__)" 2>/dev/null; }

[[ -x $python ]] || make_environment || {
  note "cannot make a virtual environment in $folder"
  exit 2
}
newest pip
newest torch numpy || {
  note "the package index has no PyTorch for this Python; taking Debian's python3-torch"
  (install_missing python3-torch python3-numpy) && make_environment --system-site-packages
}
newest jax numpy || note 'the package index has no JAX for this Python'

for module in torch jax; do
  found=$(version "$module")
  if [[ -n $found ]]; then
    note "$module $found in $folder"
  else
    note "$module is missing"
    status=1
  fi
done
exit "$status"
