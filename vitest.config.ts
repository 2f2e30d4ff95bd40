import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { reporter } from './test/reporter.ts'

/** The folder of data that may not be committed; without it, tests of it are not collected. */
const testData = process.env['CHAINLAKE_TEST_DATA'] ?? ''
if (testData !== '' && !existsSync(join(testData, 'vectors/index.json'))) {
  throw new Error(
    `CHAINLAKE_TEST_DATA is ${testData}, which has no vectors/index.json: name the folder of test data, or unset it.`,
  )
}

/** The browser that pages are opened in; without it, tests of them are not collected, which the long tests say. */
const browser = process.env['CHAINLAKE_BROWSER'] ?? ''
if (browser !== '' && !existsSync(browser)) {
  throw new Error(`CHAINLAKE_BROWSER is ${browser}, which is not there: name the program of a Chromium, or unset it.`)
}
if (browser === '' && process.argv.includes('--project=workers')) {
  process.stderr.write(
    'NOT RUN: *.browser.test.ts, which open the pages of reports: CHAINLAKE_BROWSER is not set. Install Chromium (.ci/browser does, on\n' +
      'Debian) and run CHAINLAKE_BROWSER=/usr/bin/chromium npm run test:long\n',
  )
}

/** A PostgreSQL on which tests may make databases; without it, tests of it are not collected, which the long tests say. */
const postgres = process.env['CHAINLAKE_POSTGRES'] ?? ''
if (postgres === '' && process.argv.includes('--project=workers')) {
  process.stderr.write(
    'NOT RUN: *.postgres.test.ts, *.workers.test.ts and *.cuts.test.ts, lakes with their catalog in PostgreSQL: CHAINLAKE_POSTGRES is not\n' +
      'set. .ci/postgres-server COMMAND starts a server (on Debian) and runs a command with it; .ci/run shows how.\n',
  )
}

/** Workers need pg-boss, which asks for a newer Node than chainlake: `.ci/workers` has both. */
const workers = (process.env['CHAINLAKE_WORKERS'] ?? '') !== '' && postgres !== ''

/** Some files start the server again: others must not use it meanwhile. */
const oneByOne = { maxWorkers: 1, sequence: { groupOrder: 1 } }

const patient = { testTimeout: 1_800_000 }

/** Properties are tried this many times as often, by `.ci/full properties`. */
const isRepeating = (process.env['PROPERTY_RUNS'] ?? '') !== ''

const folder = join(import.meta.dirname, 'test')
const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.test.ts'))
/** What a test needs is in its file name: `x.long.test.ts`. */
const kindOf = (path: string) =>
  /\.(long|full|external|browser|postgres|workers|cuts)\.test\.ts$/.exec(path)?.[1] ?? 'quick'
const ofKind = (kind: string) => all.filter((path) => kindOf(path) === kind)
const holding = (pattern: RegExp, of: readonly string[]) =>
  of.filter((path) => pattern.test(readFileSync(join(folder, path), 'utf8')))

const quick = ofKind('quick')
/** Of what a module is replaced with, other files must not hear. */
const mocking = holding(/\bvi\.mock\(/, quick)

const long = ofKind('long')
/** Fake clocks, too, stay in a long test's own process. */
const apart = holding(/\bvi\.(mock|useFakeTimers|spyOn|stubEnv)\(/, long)

/**
 * `npm test` runs what takes four minutes on two cores: `quick*`. `npm run test:long` runs what takes longer, and what reads data that is not
 * in the checkout; `.ci/full scenarios` runs `full`. Most files share processes (`isolate`), since a quarter of the time would be imports.
 */
const projects = {
  quick: { include: quick.filter((path) => !mocking.includes(path)), isolate: false },
  'quick-mocking': { include: mocking },
  long: { include: long.filter((path) => !apart.includes(path)), isolate: false, ...patient },
  'long-apart': { include: apart, ...patient },
  // A test that tries a whole matrix takes up to an hour on a busy machine.
  full: { include: ofKind('full'), testTimeout: 7_200_000 },
  properties: {
    include: isRepeating ? holding(/\b(runs|roundTrip|damage)\(/, [...quick, ...long]) : [],
    ...patient,
  },
  browser: { include: browser === '' ? [] : ofKind('browser'), ...patient },
  postgres: { include: postgres === '' ? [] : ofKind('postgres'), ...patient, ...oneByOne },
  workers: { include: workers ? ofKind('workers') : [], ...patient, ...oneByOne },
  cuts: {
    include: postgres === '' ? [] : ofKind('cuts'),
    ...patient,
    testTimeout: 14_400_000,
  },
  external: { include: testData === '' ? [] : ofKind('external'), isolate: false },
}

export default defineConfig({
  test: {
    reporters: ['default', reporter],
    globalSetup: ['test/build-once.ts', 'test/temporary-folder.ts'],
    // A child process that takes a second on a quiet machine takes twenty on a busy one.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: 'forks',
    // Commands that tests run would show colours in pipes.
    env: { FORCE_COLOR: '0', CLICOLOR_FORCE: '' },
    maxWorkers: 2,
    projects: Object.entries(projects).map(([name, { include, ...rest }]) => ({
      extends: true,
      test: { name, include: include.map((path) => `test/${path}`), ...rest },
    })),
  },
})
