#!/bin/sh
# A run every ten minutes from cron. In the crontab:
#
#   */10 * * * * CHAINLAKE_CONFIG=/etc/chainlake/chainlake.yaml /usr/local/lib/chainlake/cron.sh
#
# Runs that take longer do not pile up: a job whose streams the run before still has is left out (exit code 8), and each ends within its
# time with what is whole committed (exit code 7). Both are no failures: cron mails what else went wrong.
set -u
: "${CHAINLAKE:=chainlake}"                # the command
: "${CHAINLAKE_DEADLINE:=9m}"
: "${CHAINLAKE_DONE:=/var/lib/chainlake/done.json}"

# CHAINLAKE may be a command with arguments.
# shellcheck disable=SC2086
$CHAINLAKE run --all --deadline "$CHAINLAKE_DEADLINE" --on-done "$CHAINLAKE_DONE" --log-level warn >/dev/null
code=$?
case $code in
  0 | 7 | 8) exit 0 ;;
  *) echo "chainlake run ended with $code" >&2; exit $code ;;
esac
