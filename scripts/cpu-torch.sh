#!/bin/sh
# Install torch for the CPU with the pip named as argument.
# On Linux a plain `pip install torch` brings gigabytes of CUDA. The build without it has a version
# of its own, which some indexes carry; where yours does not, PyTorch's own index does.
set -eu
pip=$1
version=2.13.0

"$pip" show --quiet torch 2> /dev/null && exit 0
case $(uname -s) in
Linux)
    "$pip" install --quiet "torch==$version+cpu" 2> /dev/null ||
        "$pip" install --quiet "torch==$version+cpu" \
            --extra-index-url https://download.pytorch.org/whl/cpu
    ;;
*) "$pip" install --quiet "torch==$version" ;;
esac
