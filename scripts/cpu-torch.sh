#!/bin/sh
# Install torch for the CPU into the environment of the Python named as argument.
# On Linux a plain `pip install torch` brings gigabytes of CUDA. The build without it has a version
# of its own, which some indexes carry; where yours does not, PyTorch's own index does.
# What it needs is in the lock (locks/dev.txt), which is installed before it. Another torch that is
# there already, one for your graphics card for instance, is left alone.
set -eu
python=$1
version=2.13.0

"$python" -m pip show --quiet torch 2> /dev/null && exit 0
case $(uname -s) in
Linux)
    "$python" -m pip install --quiet --no-deps "torch==$version+cpu" 2> /dev/null ||
        "$python" -m pip install --quiet --no-deps "torch==$version+cpu" \
            --extra-index-url https://download.pytorch.org/whl/cpu
    ;;
*) "$python" -m pip install --quiet --no-deps "torch==$version" ;;
esac
