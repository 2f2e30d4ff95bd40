import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { chainlakeVersion } from '../../src/catalog/schema.ts'
import { CatalogError, ConfigError, OtherSourceError, UnknownVersionError } from '../../src/errors.ts'
import { chainlake } from '../cli/in-process.ts'
import { recordingFolder } from '../recorded.ts'
import { type ExportOptions, exportLake } from './export-lake.ts'
import { contents, newLake, wholeLake } from './lake-run.ts'

const blocks = 300
const unit = 100

let node: Devnet
afterEach(() => node.setFaults(null))
beforeAll(async () => {
  node = await startDevnet({ seed: 21, blocks })
})
afterAll(() => node.close())

async function startedLake(to: number): Promise<string> {
  const lake = newLake()
  await exportLake({ node, lake, unit, to })
  return lake
}

async function failureOf(options: ExportOptions): Promise<Error> {
  return exportLake(options).then(
    () => expect.fail('the run did not fail'),
    (error: Error) => error,
  )
}

describe('another chain behind the URL', () => {
  test('is refused before anything is written', async () => {
    const lake = await startedLake(100)
    const before = await wholeLake(lake)
    node.setFaults({ every: 1, kinds: ['other-chain'], pathPrefix: '/ext/index/' })
    const error = await failureOf({ node, lake, unit })
    expect(error).toBeInstanceOf(OtherSourceError)
    expect(error).toMatchObject({ code: 'catalog.other-source', exitCode: 5, details: { 'block number': 1 } })
    expect(await wholeLake(lake)).toEqual(before)
  })

  test('that answers once in the middle of a run adds no rows to the lake', async () => {
    const lake = newLake()
    // The fourth answer, after the head and two windows.
    node.setFaults({ every: 4, kinds: ['other-chain'], pathPrefix: '/ext/index/' })
    const slices: number[] = []
    const error = await failureOf({
      node,
      lake,
      unit,
      concurrency: 1,
      onEvent: (event) => event.kind === 'committed' && slices.push(event.slice!.from),
    })
    expect(error).toMatchObject({ name: expect.stringMatching(/^(DecodeError|OtherSourceError)$/) })
    node.setFaults(null)
    expect(slices).toEqual([1, unit])
    expect(await wholeLake(lake)).toEqual(await wholeLake(await startedLake(2 * unit)))
    await exportLake({ node, lake, unit })
    expect(await wholeLake(lake)).toEqual(await wholeLake(await startedLake(blocks + 1)))
  })

  test('is refused even if only its seed differs', async () => {
    const lake = await startedLake(100)
    const before = await wholeLake(lake)
    const other = await startDevnet({ seed: 22, blocks })
    expect(await failureOf({ node: other, lake, unit })).toBeInstanceOf(OtherSourceError)
    await other.close()
    expect(await wholeLake(lake)).toEqual(before)
  })

  test('is refused if it belongs to another network than the command expects', async () => {
    const lake = newLake()
    const error = await failureOf({ node, lake, networkId: 5 })
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.message).toBe('The node belongs to local, not to fuji.')
  })
})

describe('a recorded node of the same network id', () => {
  test('is refused because of its other chains, before anything is written', async () => {
    const lake = await startedLake(100)
    const before = await wholeLake(lake)
    const recorded = await startDevnet({ replay: recordingFolder('granite') })
    const error = await failureOf({ node: recorded, lake, unit })
    await recorded.close()
    expect(error).toBeInstanceOf(OtherSourceError)
    expect(error.message).toBe('The network local of the node differs from the one in the lake.')
    expect(await wholeLake(lake)).toEqual(before)
  })
})

describe('a catalog that this version does not know or cannot read', () => {
  const run = (lake: string) => chainlake(['run', 'p-blocks', '--node-url', node.url, '--lake', lake])
  const catalogOf = (lake: string) => join(lake, 'catalog.ducklake')

  test('of a newer version is refused and not changed', async () => {
    const lake = await startedLake(100)
    const instance = await DuckDBInstance.create(catalogOf(lake))
    const connection = await instance.connect()
    await connection.run('update chainlake.version set version = 1000')
    connection.closeSync()
    instance.closeSync()
    const bytes = readFileSync(catalogOf(lake))
    expect(await failureOf({ node, lake })).toBeInstanceOf(UnknownVersionError)
    const { code, stderr } = await run(lake)
    expect(code).toBe(5)
    const known = `this chainlake supports ${chainlakeVersion}.`
    expect(stderr).toContain(`error: The catalog of the lake has chainlake version 1000; ${known}\n`)
    expect(stderr).toMatch(
      /^hint: Nothing was changed. Use the version of chainlake that wrote the lake, or a newer one/m,
    )
    expect(readFileSync(catalogOf(lake)).equals(bytes)).toBe(true)
  })

  test.each([
    ['cut off', (file: string) => truncateSync(file, 5_000)],
    ['overwritten', (file: string) => writeFileSync(file, 'not a catalog at all'.repeat(1_000))],
    ['empty', (file: string) => truncateSync(file, 0)],
  ])('is refused and not replaced when it is %s', async (_, damage) => {
    const lake = await startedLake(100)
    const rows = await contents(lake)
    damage(catalogOf(lake))
    const bytes = readFileSync(catalogOf(lake))
    const error = await failureOf({ node, lake })
    expect(error).toBeInstanceOf(CatalogError)
    expect((error as CatalogError).hint).toMatch(/backup|Restore|lake/)
    expect(readFileSync(catalogOf(lake)).equals(bytes)).toBe(true)
    // The published lake can still be queried.
    expect(await contents(lake)).toEqual(rows)
  })
})
