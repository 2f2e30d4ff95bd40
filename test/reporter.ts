import { appendFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'

/**
 * Names each test that passed only when it ran again, and says what failed first: CI repeats a long test once, and a timing that fails often
 * must not stay hidden. With CHAINLAKE_TEST_TIMES, the path of a file, appends a line for each test file: its seconds and its path.
 */
export const reporter: Reporter = {
  onTestCaseResult: (test) => {
    if (test.diagnostic()?.flaky !== true) return
    process.stderr.write(`RETRIED: ${test.module.relativeModuleId} > ${test.fullName}\n`)
    for (const { message, diff = '' } of test.result().errors ?? []) process.stderr.write(`${message}\n${diff}\n`)
  },
  onTestModuleEnd: (module) => {
    const times = process.env['CHAINLAKE_TEST_TIMES'] ?? ''
    if (times === '') return
    const seconds = (module.diagnostic().duration / 1000).toFixed(1)
    appendFileSync(times, `${seconds} ${module.relativeModuleId} (${module.project.name})\n`)
  },
}
