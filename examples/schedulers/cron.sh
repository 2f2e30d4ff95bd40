#!/bin/sh
# Runs chainlake every ten minutes from cron. In the crontab:
#
#   */10 * * * * CHAINLAKE_CONFIG=/etc/chainlake/chainlake.yaml /usr/local/lib/chainlake/cron.sh
#
# Long runs do not pile up: jobs with streams that an earlier run still reads are skipped (exit code 8), and each run ends within its
# deadline and commits its complete units (exit code 7). Neither is a failure; cron mails all other errors.
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
  *) echo "chainlake run exited with code $code" >&2; exit $code ;;
esac
