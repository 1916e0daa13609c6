#!/bin/sh
# Archives one finished segment of PostgreSQL's log, for recovery to a point in time:
#
#   archive_command = 'sh /path/to/archive-wal.sh %p %f /archive/wal'
#
# The segment appears in the archive whole or not at all, and never replaces another one. PostgreSQL repeats a failed
# command, and one that ended before a crash.
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
# An existing segment may be unsynced since a crash: PostgreSQL removes its own after this command succeeds.
sync "$target" "$3"
