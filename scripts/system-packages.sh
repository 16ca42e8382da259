#!/bin/sh
# Installs what pip cannot: bubblewrap, which the Python sandbox runs in, and, where the argument
# `dev` is given, PostgreSQL, whose server the tests start for themselves, and Chromium, in which
# they look at the page, and libfaketime, with which they move the clock of a server.
# It only does so as root on a system with apt; elsewhere, and where apt fails, it names the
# packages and goes on, for nothing but the part that needs them is missing without them.
set -eu

has() { command -v "$1" > /dev/null; }
install() {
    [ "$(id -u)" = 0 ] && has apt-get || return 1
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" > /dev/null
}
note() { echo "note: $1 without $2: sudo apt-get install $3 (or your system's package)"; }

if has bwrap; then
    :
elif [ "$(uname -s)" != Linux ]; then
    echo "note: the python worker needs docker or podman here (bubblewrap exists on Linux only)"
else
    install bubblewrap || note "the python worker runs nothing" bubblewrap bubblewrap
fi

[ "${1:-}" = dev ] || exit 0
# The tests need its programs alone; the system gets no server of its own.
no_server() { sed -i 's/^#* *create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf; }
postgres() { install postgresql-common && no_server && install postgresql; }
has initdb || ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || ls /usr/pgsql-*/bin/initdb > /dev/null 2>&1 ||
    postgres || note "the tests of the store skip PostgreSQL" "its programs" postgresql
has chromium || has google-chrome || install chromium ||
    note "the tests of the page are skipped" Chromium chromium
ls /usr/lib/*/faketime/libfaketimeMT.so.1 > /dev/null 2>&1 || install faketime ||
    note "the test of jumping clocks is skipped" libfaketime faketime
