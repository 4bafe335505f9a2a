"""Run a command and print, as one JSON object, its exit code and the peak memory of its process tree in MB.

usage: hardness_peak.py COMMAND...
"""

import contextlib
import json
import subprocess
import sys
import time

import psutil

process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
watched, peak = psutil.Process(process.pid), 0
while process.poll() is None:
    with contextlib.suppress(psutil.Error):
        peak = max(peak, sum(each.memory_info().rss for each in [watched, *watched.children(recursive=True)]))
    time.sleep(0.02)
print(json.dumps({"code": process.returncode, "peak_mb": peak / 1e6, "out": process.communicate()[0].decode()}))
