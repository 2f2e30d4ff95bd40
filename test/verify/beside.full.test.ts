import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { chainlake } from '../cli/in-process.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake } from '../run/lake-run.ts'
import { filesOf } from './rewrite-file.ts'
import { copyOf } from './sound-lake.ts'

const lake = newLake()
beforeAll(async () => {
  const node = await startDevnet({ port: 0, blocks: 80 })
  for (const to of [20, 40, 60, 80]) await exportLake({ node, lake, jobs: [jobOf(pBlocksPipeline, { raw: true, to })] })
  await node.close()
})

describe('verify during changes of the lake', () => {
  test('reports no damage when files are merged and removed while it reads them', async () => {
    const before = copyOf(lake)
    const after = copyOf(lake)
    expect((await chainlake(['compact', '--lake', after])).code).toBe(0)
    const kept = new Set(
      (
        await Promise.all(
          ['p_blocks', 'p_transactions', 'p_outputs', 'p_inputs', 'containers'].map((table) => filesOf(after, table)),
        )
      ).flat(),
    )
    // Simulates an expiry 24 hours after the compaction, in the middle of a verification: the merged files are gone.
    for (const when of ['files', 'rows of p_transactions']) {
      const place = copyOf(before)
      let isDone = false
      const { findings } = await verifyLake({
        lake: { folder: place },
        onProgress: ({ what }) => {
          if (isDone || what !== when) return
          isDone = true
          cpSync(after, place, { recursive: true })
          for (const table of ['p_blocks', 'p_transactions', 'p_outputs', 'p_inputs', 'containers'])
            for (const path of readdirSync(join(place, 'data', table), { recursive: true, encoding: 'utf8' }))
              if (path.endsWith('.parquet') && !kept.has(`data/${table}/${path}`))
                rmSync(join(place, 'data', table, path))
        },
      })
      expect(isDone).toBe(true)
      expect(findings, when).toEqual([])
    }
  })

  test('reports no damage in a sound lake during runs, compactions and expiries', async () => {
    const place = copyOf(lake)
    const node = await startDevnet({ port: 0, blocks: 80 })
    const main = join(import.meta.dirname, '../../dist/src/cli/main.js')
    let isOver = false
    const others = (async () => {
      for (let round = 0; round < 6; round++) {
        await node.grow(5)
        for (const args of [
          ['run', 'p-blocks', '--raw', '--node-url', node.url, '--unit', '2'],
          ['compact'],
          ['expire', '--older-than', '1s'],
        ])
          expect(await ended(main, [...args, '--lake', place, '--log-level', 'error'])).toBe(0)
      }
      isOver = true
    })()
    let times = 0
    while (!isOver) {
      const { findings } = await verifyLake({ lake: { folder: place } })
      expect(findings).toEqual([])
      times++
    }
    await others
    await node.close()
    expect(times).toBeGreaterThan(3)
  })

  test('removes the temporary folder that a killed verify left in the lake', async () => {
    const place = copyOf(lake)
    const left = join(place, '.lookup-20200101T000000000Zdead00-abcdef')
    mkdirSync(left)
    expect((await verifyLake({ lake: { folder: place } })).findings).toEqual([])
    expect(existsSync(left)).toBe(false)
    expect(readdirSync(place).filter((name) => name.startsWith('.lookup'))).toEqual([])
  })
})

function ended(main: string, args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, [main, ...args], { stdio: 'ignore' })
  return new Promise((resolve) => child.once('close', resolve))
}
