#!/bin/sh
# Starts the provider with whatever Node is on PATH. Core shows the first line of standard output when it is not a
# handshake, so problems are said there.
unset NODE_OPTIONS
node=${HONEST_PAAS_NODE:-node}
if ! command -v "$node" >/dev/null 2>&1; then
  echo "honest-paas needs Node.js 20.19 or newer on PATH (looked for: $node). Install it, or set HONEST_PAAS_NODE to its path."
  exit 1
fi
here=$0
while [ -L "$here" ]; do
  link=$(readlink "$here")
  case $link in
    /*) here=$link ;;
    *) here=$(dirname "$here")/$link ;;
  esac
done
exec "$node" "$(dirname "$here")/lib/provider.cjs" "$@"
