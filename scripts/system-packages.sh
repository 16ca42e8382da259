#!/bin/sh
# Installs what pip cannot: bubblewrap, which the Python sandbox runs in.
# It only does so as root on a system with apt; elsewhere it names the package and goes on.
set -eu
command -v bwrap > /dev/null && exit 0
if [ "$(uname -s)" != Linux ]; then
    echo "note: the python worker needs docker or podman here (bubblewrap exists on Linux only)"
elif [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq bubblewrap > /dev/null
else
    echo "note: the python worker needs bubblewrap: sudo apt-get install bubblewrap (or your system's package)"
fi
