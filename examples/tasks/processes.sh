#!/usr/bin/env bash
# Fills a lake with several processes on one machine, in rounds of tasks. Settings come from chainlake.yaml in the working folder.
# JOBS: names of jobs (all jobs of chainlake.yaml); PROCESSES: 4.
set -euo pipefail
jobs=${JOBS:---all}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export worst=$folder/worst
while :; do
  code=0
  # shellcheck disable=SC2086
  chainlake plan $jobs --tasks > "$folder/tasks" 2> "$folder/log" || code=$?
  cat "$folder/log" >&2
  if [ "$code" != 0 ] && [ "$code" != 7 ]; then exit "$code"; fi
  # A task that fails does not end the others.
  xargs -P "${PROCESSES:-4}" -d '\n' -n 1 sh -c \
    'printf %s "$1" | chainlake run --task - --log-level warn || echo $? >> "$worst"' task < "$folder/tasks"
  if [ -e "$worst" ]; then break; fi
  # Some jobs take a list from the lake, which the tasks have filled only now.
  jobs=$(sed -n 's/^again: //p' "$folder/log")
  if [ "$code" = 0 ]; then break; fi
done
chainlake publish
if [ -e "$worst" ]; then exit "$(sort -n "$worst" | head -n 1)"; fi
