import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { fileSystemOf } from '../../src/lib/files.ts'
import { aboveFloor, floorOf, verifyRoom } from '../../src/run/disk-space.ts'
import type { Store } from '../../src/store/store.ts'
import { exportLake } from './export-lake.ts'
import { newLake } from './lake-run.ts'

const gigabyte = 1e9
const disk = (freeBytes: number, totalBytes = 100 * gigabyte) => ({ freeBytes, totalBytes, freeFiles: null, kind: 0 })

describe('the check of free disk space', () => {
  test.each([
    [disk(10 * gigabyte), 9 * gigabyte],
    [disk(256 * 2 ** 20), 0],
    // The usage of the disk is unknown.
    [disk(0, 0), gigabyte],
    [null, gigabyte],
  ])('accepts %j for %d bytes', (space, bytes) => {
    expect(() => verifyRoom('/lake', { what: 'p-blocks', bytes }, () => space)).not.toThrow()
  })

  test('refuses a write that does not fit, with the numbers in the error', () => {
    expect(() => verifyRoom('/lake', { what: 'p-blocks', bytes: 12.3e9 }, () => disk(12.4e9))).toThrow(
      expect.objectContaining({
        name: 'StorageError',
        code: 'storage.space',
        exitCode: 5,
        retryable: true,
        message: 'The disk has too little space for p-blocks: about 12.3 GB are needed, 12.4 GB are free.',
        details: { lake: '/lake', 'estimated bytes': 12.3e9, 'free bytes': 12.4e9, 'bytes left free': 256 * 2 ** 20 },
      }),
    )
  })

  test('keeps a twentieth of a small disk free', () => {
    expect(floorOf({ totalBytes: 100e6 })).toBe(5e6)
  })
})

describe('the store of a run', () => {
  const made: string[] = []
  const store = {
    create: async (path: string) => {
      made.push(path)
      return expect.anything()
    },
  } as unknown as Store

  test('creates files until the free space is below the floor, and again when there is room', async () => {
    let free = 300e6
    const guarded = aboveFloor(store, '/lake', () => disk(free))
    await guarded.create('a')
    free = 200e6
    await expect(guarded.create('b')).rejects.toThrow(
      expect.objectContaining({
        code: 'storage.space',
        message: 'The disk is almost full: 200.0 MB are free, and a run keeps 268.4 MB free.',
      }),
    )
    free = 300e6
    await guarded.create('c')
    expect(made).toEqual(['a', 'c'])
  })
})

describe('the file system', () => {
  test('of a folder that does not exist yet is that of its parent folder', () => {
    const folder = tmpdir()
    const [own, below] = [fileSystemOf(folder), fileSystemOf(`${folder}/lake/data`)]
    expect(own?.totalBytes).toBeGreaterThan(0)
    expect(below).toMatchObject({ totalBytes: own?.totalBytes, kind: own?.kind })
  })
})

test('a resumed run estimates its bytes from the bytes per coordinate in the lake', async () => {
  const node = await startDevnet({ seed: 5, blocks: 60 })
  const lake = newLake()
  try {
    await exportLake({ node, lake, to: 21 })
    const { planPipelines } = await import('../../src/run/jobs/plan-pipelines.ts')
    const { pBlocksPipeline } = await import('../../pipelines/p-blocks.ts')
    const { jobOf } = await import('./job-of.ts')
    const { lakeStatus } = await import('../../src/run/status/lake-status.ts')
    const [plan] = await planPipelines({
      nodeUrl: node.url,
      lake: { folder: lake },
      jobs: [jobOf(pBlocksPipeline, {})],
    })
    const held = (await lakeStatus({ folder: lake })).streams
      .filter(({ stream }) => stream.endsWith('/P/block'))
      .flatMap(({ tables }) => tables)
      .reduce((sum, { bytes }) => sum + bytes, 0)
    expect(plan?.estimatedBytes).toBe(2 * held)
  } finally {
    await node.close()
  }
})
