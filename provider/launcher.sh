#!/bin/sh
# Starts the provider with whatever Node is on PATH. Core shows the first line of standard output when it is not a
# handshake, so problems are said there.
# What the user's own programs need must not reach this one: a --require that is not there would end it.
unset NODE_OPTIONS NODE_PATH
node=${HONEST_PAAS_NODE:-node}
if ! command -v "$node" >/dev/null 2>&1; then
  echo "honest-paas needs Node.js 20.19 or newer on PATH (looked for: $node). Install it, or set HONEST_PAAS_NODE to its path."
  exit 1
fi
# Written with what the shell has of its own: each program it would start costs a millisecond at each start.
case $0 in
  */*) here=$0 ;;
  *) here=./$0 ;;
esac
while [ -L "$here" ]; do
  link=$(readlink "$here")
  case $link in
    /*) here=$link ;;
    *) here=${here%/*}/$link ;;
  esac
done
exec "$node" "${here%/*}/lib/provider.cjs" "$@"
