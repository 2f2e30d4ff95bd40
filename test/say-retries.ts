import type { Reporter } from 'vitest/node'

/** Names each test that passed only when it ran again: CI repeats a long test once, and a timing that fails often must not stay hidden. */
export const sayRetries: Reporter = {
  onTestCaseResult: (test) => {
    if (test.diagnostic()?.flaky === true) {
      process.stderr.write(`RETRIED: ${test.module.relativeModuleId} > ${test.fullName}\n`)
    }
  },
}
