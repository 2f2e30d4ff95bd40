"""Runs a command and prints its CPU seconds, its seconds and its peak memory in MiB: measure.py COMMAND ..."""
import json
import resource
import subprocess
import sys
import time

begin = time.monotonic()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
seconds = time.monotonic() - begin
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"cpuSeconds": usage.ru_utime + usage.ru_stime, "seconds": seconds, "peakMiB": usage.ru_maxrss / 1024}))
