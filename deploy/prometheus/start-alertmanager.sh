#!/bin/sh
# Starts an Alertmanager with the receivers that the environment names:
#
#   ALERT_PAGER_URL=https://... ALERT_DESK_URL=https://... start-alertmanager.sh ROUTES CONFIG COMMAND...
#
# writes CONFIG, a copy of ROUTES with these for its two placeholders, and executes COMMAND. It fails without one of them: alerts
# would reach no person, unnoticed.
set -eu

routes=$1
config=$2
shift 2
changes=''

# receiver SETTING ADDRESS PLACEHOLDER: replaces PLACEHOLDER by ADDRESS, unless ROUTES no longer contains it.
receiver() {
  grep -qF "$3" "$routes" || return 0
  case $2 in
    http://?* | https://?*) ;;
    '') refuse "$1 is not set: it says where alerts are sent. Set it in .env, or put a receiver of your own into $routes." ;;
    *) refuse "$1 is no address of http or https." ;;
  esac
  # Characters that end a YAML text or a sed command must be encoded.
  case $2 in
    *[\'\|\\[:space:]]*) refuse "$1 holds a character that an address has to encode." ;;
  esac
  changes="$changes;s|$3|$(printf %s "$2" | sed 's/&/\\&/g')|"
}

# The address is a secret, and in no message.
refuse() {
  echo "start-alertmanager.sh: $1" >&2
  exit 1
}

receiver ALERT_PAGER_URL "${ALERT_PAGER_URL:-}" http://pager.invalid/
receiver ALERT_DESK_URL "${ALERT_DESK_URL:-}" http://desk.invalid/
(umask 077 && sed "${changes#;}" "$routes" >"$config")
exec "$@"
