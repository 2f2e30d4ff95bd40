import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import { knownPipelines } from '../../src/cli/jobs/known-pipelines.ts'
import { readSettings } from '../../src/cli/settings.ts'
import { failureOf } from '../catalog/committed-lake.ts'
import { chainlake } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'chainlake-settings-'))

test.each([
  ['list', 'lists: { tokens: { comment: Tokens. } }'],
  ['service', 'services: { tokens: { url: 5 } }'],
  ['path of a module', 'pipelines: [5]'],
])('a wrong %s stops commands that may run it, and none that only read a lake', async (name, text) => {
  const config = join(folder, `${name.replaceAll(' ', '-')}.yaml`)
  writeFileSync(config, `lake: ./my-lake\n${text}\njobs: { tokens: { pipeline: tokens } }\n`)
  expect(await failureOf(readSettings({ config }, knownPipelines))).toMatchObject({ exitCode: 2 })
  expect(await readSettings({ config })).toMatchObject({ lake: { folder: join(folder, 'my-lake') } })
  for (const command of ['status', 'gaps', 'verify', 'views', 'compact'])
    expect((await chainlake([command, '--config', config])).stderr).not.toContain(config)
  expect((await chainlake(['validate', '--config', config])).code).toBe(2)
})

test('a flag overrides its variable, which overrides the file', async () => {
  const config = join(folder, 'order.yaml')
  writeFileSync(config, 'compact: true\nexpire: 30d\nmax-lag: 5\n')
  const day = 86_400_000
  expect(await readSettings({ config })).toMatchObject({ compact: true, expireMs: 30 * day, maxLagMs: 5_000 })
  vi.stubEnv('CHAINLAKE_COMPACT', 'false')
  vi.stubEnv('CHAINLAKE_EXPIRE', '12h')
  try {
    expect(await readSettings({ config })).toMatchObject({ compact: false, expireMs: day / 2 })
    expect(await readSettings({ config, compact: true, expire: '1' })).toMatchObject({ compact: true, expireMs: day })
  } finally {
    vi.unstubAllEnvs()
  }
})

test('a variable for the views of a lake in PostgreSQL does not refuse a lake in a folder', async () => {
  vi.stubEnv('CHAINLAKE_FOLDER', '/elsewhere')
  try {
    expect(await readSettings({ lake: folder })).toMatchObject({ lake: { folder } })
    expect(await failureOf(readSettings({ lake: folder, folder: '/views' }))).toMatchObject({ exitCode: 2 })
  } finally {
    vi.unstubAllEnvs()
  }
})

test.each(['/shared/lake', 's3://bucket/prefix'])(
  'a flag that names a folder leaves out the place of the data (%s) of a lake in PostgreSQL',
  async (data) => {
    const config = join(folder, 'database.yaml')
    writeFileSync(config, `lake: { catalog: "postgres://me@host/db", data: "${data}", cache: ./cache }\n`)
    expect((await readSettings({ config })).lake).toMatchObject({ catalog: 'postgres://me@host/db' })
    expect((await readSettings({ config, lake: folder })).lake).toEqual({ folder, cache: join(folder, 'cache') })
  },
)

test('a wrong setting that every command shares stops all of them', async () => {
  const config = join(folder, 'shared.yaml')
  writeFileSync(config, 'lake: 5\n')
  expect(await failureOf(readSettings({ config }))).toMatchObject({ exitCode: 2 })
})

test.each([
  ['s3://bucket/lake', 's3://', /--data s3:/],
  ['FILE:///srv/lake', 'file://', /without file:/],
  ['mysql://me:secret@host/db', 'mysql://', /a folder on this machine/],
])('a URL is no folder of a lake: %s', async (url, scheme, hint) => {
  const refusal = (source: string) => ({
    message: `${source} must be a folder, not a URL (${scheme}…).`,
    hint: expect.stringMatching(hint),
    exitCode: 2,
  })
  expect(await failureOf(readSettings({ lake: url }))).toMatchObject(refusal('--lake'))
  expect(await failureOf(readSettings({ lake: folder, cache: url }))).toMatchObject(refusal('--cache'))
  const config = join(folder, 'url.yaml')
  writeFileSync(config, `lake: ${url}\n`)
  expect(await failureOf(readSettings({ config }))).toMatchObject(refusal(`lake.catalog of ${config}`))
  // A folder of that name from earlier still opens.
  expect(await readSettings({ lake: `./${url}` })).toMatchObject({ lake: { folder: resolve(url) } })
})
