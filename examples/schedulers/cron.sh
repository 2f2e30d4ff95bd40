#!/bin/sh
# Runs chainlake every ten minutes from cron. Install it once (executable, and owned by root), then add the line to the crontab:
#
#   install -D -m 755 cron.sh /usr/local/lib/chainlake/cron.sh
#   */10 * * * * CHAINLAKE_CONFIG=/etc/chainlake/chainlake.yaml /usr/local/lib/chainlake/cron.sh
#
# Long runs do not pile up: jobs with streams that an earlier run still reads are skipped (exit code 8), and each run ends within its
# deadline and commits its complete units (exit code 7). Neither is a failure; cron mails all other errors.
set -u
# cron has the PATH /usr/bin:/bin, and npm links commands, and node, into /usr/local/bin.
PATH=/usr/local/bin:$PATH
export PATH
: "${CHAINLAKE:=chainlake}"                # the command
: "${CHAINLAKE_DEADLINE:=9m}"
: "${CHAINLAKE_DONE:=/var/lib/chainlake/done.json}"
mkdir -p "$(dirname "$CHAINLAKE_DONE")" || exit

# CHAINLAKE may be a command with arguments.
# shellcheck disable=SC2086
$CHAINLAKE run --all --deadline "$CHAINLAKE_DEADLINE" --on-done "$CHAINLAKE_DONE" --log-level warn >/dev/null
code=$?
case $code in
  0 | 7 | 8) exit 0 ;;
  *) echo "chainlake run exited with code $code" >&2; exit $code ;;
esac
