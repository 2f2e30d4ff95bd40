import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import type { CoverageRow } from '../../../src/catalog/catalog.ts'
import { serviceStream, type Table } from '../../../src/define/index.ts'
import type { Slice } from '../../../src/model.ts'
import { runCheck } from '../../../src/verify/checks.ts'
import { type LakeRows, mostFindings, openEngine } from '../../../src/verify/lake.ts'
import { beyondCheck, loadSlices, sequenceCheck, sequences } from '../../../src/verify/sequences.ts'
import { runs } from '../../runs.ts'

const engine = await openEngine(new AbortController().signal, '')
afterAll(() => engine.close())

const ofBlocks = sequences.find(({ table }) => table === evmBlocks)!

type Block = { readonly number: number; readonly id: string; readonly parent: string }
type Covered = Slice & { readonly stream?: string; readonly firstId?: string | null; readonly lastId?: string | null }

/** The blocks of a chain that has these numbers. */
const chainOf = (numbers: readonly number[]): Block[] =>
  numbers.map((number, at) => ({ number, id: `id${number}`, parent: at === 0 ? 'none' : `id${numbers[at - 1]}` }))

/** A lake of one chain whose catalog says of each hundred blocks that they have half a million rows: they are compared in several parts. */
async function lakeOf(
  blocks: readonly Block[],
  slices: readonly Covered[],
  step = 1,
  [network, chain] = ['test', '314'],
): Promise<LakeRows> {
  const origin = serviceStream(network, 'evm-blocks', step === 1 ? {} : { step }, chain)
  const coverage = slices.map(({ stream = 's', firstId = null, lastId = null, ...slice }) => ({
    ...{ network: network, stream, table: 'evm_blocks', slice, origin: { ...origin, stream }, blockEnds: null },
    ends: { firstId, lastId, firstParentId: null },
  }))
  const values = blocks.map(({ number, id, parent }) => `(${number}, '${id}', '${parent}')`)
  await engine.rows('CREATE OR REPLACE TEMP TABLE stored (n BIGINT, id VARCHAR, parent VARCHAR)')
  if (values.length > 0) await engine.rows(`INSERT INTO stored VALUES ${values.join(', ')}`)
  const files = Array.from({ length: 4 }, (_, at) => ({ path: `${at}`, rows: 500_000 }))
  const rows = {
    engine,
    inventory: { networks: [], coverage: coverage as unknown as CoverageRow[] },
    filesOf: () => files,
    boundedFiles: async () => files.map((file, at) => ({ file, bounds: { from: 100 * at, to: 100 * at + 99 } })),
    filesBetween: async (_: Table, __: string, { from, to }: Slice) =>
      files.filter((_, at) => 100 * at <= to && 100 * at + 99 >= from),
    relation: () =>
      `(SELECT '${network}' AS network, '${chain}' AS chain_id, n AS block_number, id AS block_hash, parent AS parent_hash, 0::UBIGINT AS file_index
        FROM stored)`,
  } as unknown as LakeRows
  await loadSlices(rows)
  return rows
}

async function checked(blocks: readonly Block[], slices: readonly Covered[], step?: number, chain?: [string, string]) {
  const rows = await lakeOf(blocks, slices, step, chain)
  return runCheck(rows, sequenceCheck(rows, ofBlocks))
}

const numbersIn = (slices: readonly (Slice | undefined)[]) =>
  slices
    .flatMap((slice) =>
      slice === undefined ? [] : Array.from({ length: slice.to - slice.from }, (_, at) => slice.from + at),
    )
    .sort((a, b) => a - b)

const all = Array.from({ length: 400 }, (_, at) => at)
/** Ten of these ranges are not longer than what a chain leaves out at most. */
const someNumbers = () =>
  fc
    .array(fc.record({ from: fc.nat(399), length: fc.integer({ min: 1, max: 6 }) }), { maxLength: 5 })
    .map((ranges) => new Set(ranges.flatMap(({ from, length }) => all.slice(from, from + length))))

test('exactly the covered numbers without a row are missing, but those that the next row proves to be left out', async () => {
  await fc.assert(
    fc.asyncProperty(
      someNumbers(),
      someNumbers(),
      fc.uniqueArray(fc.integer({ min: 1, max: 399 }), { maxLength: 4 }),
      async (without, lost, cuts) => {
        const chain = chainOf(all.filter((number) => !without.has(number)))
        const stored = chain.filter(({ number }) => !lost.has(number))
        const ends = [0, ...cuts.sort((a, b) => a - b), 400]
        const slices = ends.slice(1).map((to, at): Covered => {
          const own = chain.filter(({ number }) => number >= ends[at]! && number < to)
          return { from: ends[at]!, to, firstId: own[0]?.id ?? null, lastId: own.at(-1)?.id ?? null }
        })
        const isLeftOut = (number: number) => {
          const before = stored.findLast((block) => block.number < number)
          const after = stored.find((block) => block.number > number)
          const slice = slices.find(({ from, to }) => from <= number && number < to)!
          if (before !== undefined && after !== undefined) return after.parent === before.id
          return after !== undefined ? slice.firstId === after.id : slice.lastId === before?.id
        }
        const gone = all.filter((number) => !stored.some((block) => block.number === number) && !isLeftOut(number))
        const { findings } = await checked(stored, slices)
        const missing = findings.filter(({ kind }) => kind === 'rows.missing')
        expect(numbersIn(missing.map(({ slice }) => slice))).toEqual(gone)
        expect(missing.reduce((sum, { rows = 0 }) => sum + rows, 0)).toBe(gone.length)
        expect(missing.every(({ stream, key }) => stream === 's' && key === undefined)).toBe(true)
      },
    ),
    { numRuns: runs(12) },
  )
})

test('a chain may leave out the last numbers of a slice, but a C-Chain leaves out none', async () => {
  const stored = chainOf(all.slice(0, 61))
  const slices = [{ from: 0, to: 69, firstId: 'id0', lastId: 'id60' }]
  expect((await checked(stored, slices)).findings).toEqual([])
  const { findings } = await checked(stored, slices, 1, ['local', '43112'])
  expect(findings).toMatchObject([{ kind: 'rows.missing', slice: { from: 61, to: 69 } }])
})

test('a row with another parent, and other blocks at the ends of a slice than the catalog has, are named', async () => {
  const chain = chainOf(all).map((block) => (block.number === 250 ? { ...block, parent: 'other' } : block))
  const { findings } = await checked(chain, [{ from: 3, to: 400, firstId: 'id3', lastId: 'id398' }])
  expect(findings).toEqual([
    expect.objectContaining({
      ...{ kind: 'rows.parent', height: 250, slice: { from: 249, to: 251 }, file: expect.any(String) },
      ...{ expected: 'parent id249', found: 'parent other' },
    }),
    expect.objectContaining({ kind: 'catalog.coverage', height: 399, expected: 'id398', found: 'id399' }),
  ])
})

test('findings of a stream do not hide those of another one at higher numbers, compared with them or later', async () => {
  const { findings } = await checked(
    chainOf(all.filter((number) => number % 2 === 0)).map((block) => ({ ...block, parent: 'other' })),
    [
      ...['a', 'b', 'c', 'd'].map((stream) => ({ stream, from: 0, to: 400 })),
      { stream: 'near', from: 70, to: 74 },
      { stream: 'far', from: 390, to: 394 },
    ],
  )
  const heightsOf = (name: string) => findings.flatMap(({ stream, height }) => (stream === name ? [height] : []))
  expect(findings).toHaveLength(mostFindings)
  expect([heightsOf('near'), heightsOf('far')]).toEqual([
    [71, 73],
    [391, 393],
  ])
})

test('a stream with step has the multiples of it, and what nothing proves to be missing is a remark', async () => {
  const chain = chainOf(all.filter((number) => number % 3 === 0 && ![30, 33, 300].includes(number)))
  expect(await checked(chain, [{ from: 1, to: 400 }], 3)).toMatchObject({
    findings: [],
    remarks: [{ stream: 's', message: expect.stringMatching(/^3 numbers have no block\./) }],
  })
  const { findings } = await checked(chain.slice(0, 60), [{ from: 0, to: 400 }], 3)
  const missing = numbersIn(findings.map(({ slice }) => slice)).filter((number) => number % 3 === 0)
  expect(missing).toEqual(all.filter((number) => number >= 186 && number % 3 === 0))
  expect(findings.every(({ kind }) => kind === 'rows.missing')).toBe(true)
})

test('rows outside of the slices of their chain are named as one range', async () => {
  const rows = await lakeOf(chainOf(all), [
    { from: 0, to: 200 },
    { from: 210, to: 390 },
  ])
  expect(await runCheck(rows, beyondCheck(ofBlocks))).toMatchObject({
    findings: [{ kind: 'rows.beyond', rows: 20, height: 200, slice: { from: 200, to: 400 }, file: '0' }],
  })
})
