import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The folder of data that may not be committed; without it, tests of it are not collected. */
const testData = process.env['CHAINLAKE_TEST_DATA'] ?? ''
if (testData !== '' && !existsSync(join(testData, 'vectors/index.json'))) {
  throw new Error(
    `CHAINLAKE_TEST_DATA is ${testData}, which has no vectors/index.json: name the folder of test data, or unset it.`,
  )
}

/** What `npm test` runs, in five minutes on two cores; what takes longer; what reads data that is not in the checkout. */
const projects = {
  quick: { include: ['test/**/*.test.ts'], exclude: ['test/long/**', 'test/external/**'] },
  long: { include: ['test/long/**/*.test.ts'] },
  ...(testData === '' ? {} : { external: { include: ['test/external/**/*.test.ts'] } }),
}

export default defineConfig({
  test: {
    globalSetup: ['test/build-once.ts'],
    // A child process that takes a second on a quiet machine takes twenty on a busy one.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: 'forks',
    maxWorkers: 2,
    projects: Object.entries(projects).map(([name, files]) => ({ extends: true, test: { name, ...files } })),
  },
})
