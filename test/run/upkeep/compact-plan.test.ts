import { describe, expect, test } from 'vitest'
import type { SmallFile } from '../../../src/catalog/files.ts'
import { identity, month, t, table } from '../../../src/define/index.ts'
import {
  fanOut,
  mergedBytes,
  mergesInLevels,
  mergesOfAll,
  smallBytes,
  withoutTails,
} from '../../../src/run/upkeep/compact.ts'

const blocks = table({
  name: 'blocks',
  comment: 'Blocks.',
  key: ['network', 'height'],
  sortBy: ['height'],
  partitionBy: [identity('network'), month('block_time')],
  columns: {
    network: t.text('Network.'),
    height: t.int64('Height.'),
    block_time: t.timestamp('Time.'),
  },
})

type Given = Partial<Omit<SmallFile, 'bounds'>> & { readonly id: number; readonly heights?: readonly [number, number] }

function file({ id, heights, ...given }: Given): SmallFile {
  const [from, to] = heights ?? [id * 10, id * 10 + 9]
  const day = String(1 + (id % 28)).padStart(2, '0')
  const bounds = {
    height: { min: String(from), max: String(to) },
    block_time: { min: '2026-11-01 00:00:00+00', max: `2026-11-${day} 10:45:00.5+00` },
  }
  return {
    id,
    path: `data/${id}`,
    rows: 10,
    bytes: 1000,
    since: id + 1,
    partition: ['local', '2026-11'],
    level: 0,
    bounds: (column) => bounds[column as keyof typeof bounds] ?? null,
    sources: [{ stream: 'local/P/block', slice: { from, to: to + 1 } }],
    ...given,
  }
}

const idsOf = (merges: ReturnType<typeof mergesOfAll>) => merges.map(({ files }) => files.map(({ id }) => id))
const upTo = (count: number) => Array.from({ length: count }, (_, id) => id)

describe('all small files', () => {
  test('of a partition are merged into one file, in the sort order of the table', () => {
    const files = [
      file({ id: 0, heights: [50, 59] }),
      file({ id: 1, heights: [0, 9] }),
      file({ id: 2, partition: ['local', '2026-12'] }),
      file({ id: 3, heights: [20, 29] }),
      file({ id: 4, heights: [25, 39], partition: ['local', '2026-11'] }),
      file({ id: 5, partition: ['fuji', '2026-11'] }),
    ]
    const merges = mergesOfAll(blocks, files)
    expect([idsOf(merges), merges[0]?.isInOrder]).toEqual([[[0, 1, 3, 4]], false])
    const apart = mergesOfAll(
      blocks,
      files.filter(({ id }) => id !== 4),
    )
    expect([idsOf(apart), apart[0]?.isInOrder]).toEqual([[[1, 3, 0]], true])
  })

  test('of one commit are in order where the rows of one height end one and begin the next', () => {
    const isInOrder = (...files: ReturnType<typeof file>[]) => mergesOfAll(blocks, files)[0]?.isInOrder
    const first = { id: 1, since: 4, heights: [0, 9] } as const
    expect(isInOrder(file(first), file({ id: 2, since: 4, heights: [9, 12] }))).toBe(true)
    expect(isInOrder(file(first), file({ id: 0, since: 4, heights: [9, 12] }))).toBe(false)
    expect(isInOrder(file(first), file({ id: 2, since: 5, heights: [9, 12] }))).toBe(false)
  })

  test('are merged into several files when one would be too large; a single small file is not rewritten', () => {
    const bytes = smallBytes - 1
    const merges = mergesOfAll(
      blocks,
      upTo(5).map((id) => file({ id, bytes })),
    )
    expect(idsOf(merges)).toEqual([
      [0, 1],
      [2, 3],
    ])
    expect(mergesOfAll(blocks, [file({ id: 0 })])).toEqual([])
  })

  test('are sorted together when the bounds of one of them are unknown', () => {
    const files = [file({ id: 7 }), file({ id: 3, bounds: () => null } as never), file({ id: 5 })]
    const merges = mergesOfAll(blocks, files)
    expect([idsOf(merges), merges[0]?.isInOrder]).toEqual([[[3, 5, 7]], false])
  })
})

describe('compaction in levels', () => {
  test('merges no files before a level is full', () => {
    expect(
      mergesInLevels(
        blocks,
        upTo(fanOut - 1).map((id) => file({ id })),
        20,
      ),
    ).toEqual([])
    const [merge] = mergesInLevels(
      blocks,
      upTo(fanOut).map((id) => file({ id })),
      20,
    )
    expect(merge).toMatchObject({ level: 1 })
    expect(merge?.files).toHaveLength(fanOut)
  })

  test('merges a whole partition when it gets no more files and a later partition exists', () => {
    const later = { since: 300, partition: ['local', '2026-12'] }
    const files = [file({ id: 1, level: 2 }), file({ id: 2, level: 1 }), file({ id: 3 }), file({ id: 4, ...later })]
    expect(idsOf(mergesInLevels(blocks, files, 300))).toEqual([[1, 2, 3]])
    expect(mergesInLevels(blocks, files, 40)).toEqual([])
    expect(mergesInLevels(blocks, files.slice(0, 3), 300)).toEqual([])
    const elsewhere = file({ id: 4, since: 300, partition: ['fuji', '2026-12'] })
    expect(mergesInLevels(blocks, [...files.slice(0, 3), elsewhere], 300)).toEqual([])
  })

  test.each([
    ['tiny', 1_000],
    ['large', 30_000_000],
    ['of all sizes', null],
  ])('rewrites rows at most three times and keeps few small files (commits: %s)', (_, size) => {
    const commits = 6_000
    let files: SmallFile[] = []
    let merged = 0
    let most = 0
    const rewrites = new Map<number, number>()
    const rowsOf = new Map<number, number[]>()
    for (let commit = 0; commit < commits; commit++) {
      const bytes = size ?? 1_000 * 3 ** (commit % 10)
      const date = `2026-${String(1 + Math.floor(commit / 2_500)).padStart(2, '0')}`
      files.push(file({ id: commit, bytes, since: commit, partition: ['local', date] }))
      rowsOf.set(commit, [commit])
      for (const { files: inputs, level } of mergesInLevels(
        blocks,
        files.filter((each) => each.bytes < smallBytes),
        commit,
      )) {
        const bytes = inputs.reduce((sum, input) => sum + input.bytes, 0)
        expect(bytes).toBeLessThanOrEqual(mergedBytes)
        expect(inputs.length).toBeGreaterThan(1)
        const rows = inputs.flatMap((input) => rowsOf.get(input.id) ?? [])
        for (const row of rows) rewrites.set(row, (rewrites.get(row) ?? 0) + 1)
        const ids = new Set(inputs.map(({ id }) => id))
        files = files.filter(({ id }) => !ids.has(id))
        const id = commits + merged++
        rowsOf.set(id, rows)
        const partition = inputs[0]?.partition ?? []
        files.push(
          file({ id, bytes, since: commit, level, partition, heights: [rows[0]! * 10, rows.at(-1)! * 10 + 9] }),
        )
      }
      most = Math.max(most, files.filter((each) => each.bytes < smallBytes).length)
    }
    expect(Math.max(...rewrites.values())).toBeLessThanOrEqual(3)
    expect(files.flatMap(({ id }) => rowsOf.get(id) ?? []).sort((a, b) => a - b)).toEqual(upTo(commits))
    expect(most).toBeLessThan(2 * 3 * fanOut)
  })
})

describe('the tail of a stream', () => {
  const files = upTo(5).map((id) => file({ id }))
  const found = { files, ends: new Map([['local/P/block', 50]]), snapshotId: 5 }
  const left = (trailing: number, given: typeof found = found) =>
    withoutTails(blocks, given, () => trailing).map(({ id }) => id)

  test('of a range holds the files above its covered end minus the length that is read again', () => {
    expect(left(0)).toEqual([0, 1, 2, 3, 4])
    expect(left(1)).toEqual([0, 1, 2, 3])
    expect(left(20)).toEqual([0, 1, 2])
    expect(left(21)).toEqual([0, 1])
  })

  test('of a list holds the files newer than its newest row minus the seconds that are read again', () => {
    const lists = files.map((each) => ({ ...each, sources: [{ stream: 'local/rewards', slice: null }] }))
    const given = { ...found, files: lists }
    expect(left(0, given)).toEqual([0, 1, 2, 3, 4])
    expect(left(3_600, given)).toEqual([0, 1, 2, 3])
    expect(left(2 * 86_400, given)).toEqual([0, 1])
  })
})
