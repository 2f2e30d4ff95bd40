import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../src/lib/package.ts'
import { stepNames } from '../src/lib/step.ts'

const folder = join(packageRoot(), 'test')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
const sources = files
  .filter((path) => /\.m?ts$|\.mjs$/.test(path) && path !== 'layout.test.ts')
  .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))

function naming(pattern: RegExp, of = sources): string[] {
  return of.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
}

test('tests read nothing outside the checkout, except external tests, which read the folder of a variable', () => {
  expect(naming(/\.\.\/shared\b|'shared'/)).toEqual([])
  const inside = sources.filter(({ path }) => !/external[^/]*\.ts$/.test(path))
  expect(naming(/CHAINLAKE_TEST_DATA|\/external-data/, inside)).toEqual([])
})

test('no test is skipped, postponed or run alone, except those that need to mount a disk', () => {
  expect(naming(/\.(skip|skipIf|runIf|todo|only|fails)\b\s*(\(|\.each)/)).toEqual(['run/small-disk.long.test.ts'])
})

test('recordings stay below 12 MiB', () => {
  const bytes = files
    .filter((path) => path.startsWith('fixtures/recorded/'))
    .reduce((sum, path) => sum + statSync(join(folder, path)).size, 0)
  expect(bytes).toBeLessThan(12 * 2 ** 20)
})

test('a test kills the program at each named step', () => {
  const kills = sources.filter(({ text }) => /DIE_AT|stateAfterKills/.test(text))
  const text = kills.map(({ text }) => text).join()
  // By its name, or with all steps of its kind, such as 'backup.'.
  const isNamed = (name: string) => new RegExp(`'(${name}['#]|${name.split('.')[0]}\\.')`).test(text)
  expect(stepNames.filter((name) => !isNamed(name))).toEqual([])
})

// Only long tests run these programs, and the compiler does not see them.
test('programs of tests import compiled files that have a source', () => {
  const missing = sources
    .filter(({ path }) => path.endsWith('.mjs'))
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(/'(?:\.\.\/)+dist\/([\w/.-]+)\.js'/g), ([, name]) => ({ path, name })),
    )
    .filter(({ name }) => !existsSync(join(folder, '..', `${name}.ts`)))
  expect(missing).toEqual([])
})
