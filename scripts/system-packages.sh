#!/bin/sh
# Installs what pip cannot: bubblewrap, which the Python sandbox runs in, and, where the argument
# `dev` is given, PostgreSQL, whose server the tests start for themselves, and Chromium, in which
# they look at the page, and libfaketime, with which they move the clock of a server.
# It only does so as root on a system with apt; elsewhere it names the packages and goes on.
set -eu

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; }
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" > /dev/null; }

if command -v bwrap > /dev/null; then
    :
elif [ "$(uname -s)" != Linux ]; then
    echo "note: the python worker needs docker or podman here (bubblewrap exists on Linux only)"
elif may_install; then
    apt-get update -qq && install bubblewrap
else
    echo "note: the python worker needs bubblewrap: sudo apt-get install bubblewrap (or your system's package)"
fi

[ "${1:-}" = dev ] || exit 0
if command -v initdb > /dev/null || ls /usr/lib/postgresql/*/bin/initdb /usr/pgsql-*/bin/initdb > /dev/null 2>&1; then
    :
elif may_install; then
    apt-get update -qq && install postgresql-common
    # The tests need its programs alone; the system gets no server of its own.
    sed -i 's/^#* *create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
    install postgresql
else
    echo "note: the tests of the store skip PostgreSQL without its programs: sudo apt-get install postgresql (or your system's package)"
fi

if command -v chromium > /dev/null || command -v google-chrome > /dev/null; then
    :
elif may_install; then
    apt-get update -qq && install chromium
else
    echo "note: the tests of the page are skipped without Chromium: sudo apt-get install chromium (or your system's package)"
fi

if ls /usr/lib/*/faketime/libfaketimeMT.so.1 > /dev/null 2>&1; then
    :
elif may_install; then
    apt-get update -qq && install faketime
else
    echo "note: the test of jumping clocks is skipped without libfaketime: sudo apt-get install faketime (or your system's package)"
fi
