#!/bin/sh
# Archives one finished segment of PostgreSQL's log, for recovery to a point in time:
#
#   archive_command = 'sh /path/to/archive-wal.sh %p %f /archive/wal'
#
# The segment appears in the archive whole or not at all, and never in place of another one. PostgreSQL repeats what
# failed, and what it has done before a crash.
set -eu

segment=$1
target=$3/$2
if [ -e "$target" ]; then
  cmp -s "$segment" "$target"
else
  cp "$segment" "$target.partial"
  sync "$target.partial"
  mv "$target.partial" "$target"
fi
# One that is there already may have come before a crash: PostgreSQL removes its own as soon as this ends well.
sync "$target" "$3"
