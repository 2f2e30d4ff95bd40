/** Preloaded into a measured process. Writes its CPU time and memory as the last line of stderr. */
import { writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

if (isMainThread)
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    const usage = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMiB: maxRSS / 1024 }
    writeSync(2, `${JSON.stringify(usage)}\n`)
  })
