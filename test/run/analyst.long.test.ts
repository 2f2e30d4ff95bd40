import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { committedSlices, exportLake } from './export-lake.ts'
import { newLake, strayFiles } from './lake-run.ts'

type Answer = { readonly blocks: number; readonly inputs: number; readonly snapshot: number }

/** Another process that has the views and the published catalog open, and queries them on request. */
function startAnalyst(lake: string) {
  const child = spawn(process.execPath, [join(packageRoot(), 'test/run/analyst.mjs'), lake], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  return {
    ask: async (): Promise<Answer> => {
      child.stdin.write('?\n')
      const [line] = await once(lines, 'line')
      return JSON.parse(line as string) as Answer
    },
    close: async () => {
      child.stdin.end()
      await once(child, 'close')
    },
  }
}

test('an analyst with the views and the catalog copy open neither blocks a commit nor breaks later readers', async () => {
  const node = await startDevnet({ seed: 6, blocks: 300 })
  const lake = newLake()
  try {
    await exportLake({ node, lake, to: 101, unit: 50 })
    const early = startAnalyst(lake)
    const first = await early.ask()
    expect(first).toMatchObject({ blocks: 100, snapshot: 4 })

    const { events } = await exportLake({ node, lake, unit: 50 })
    expect(committedSlices(events)).toHaveLength(5)
    const late = startAnalyst(lake)
    expect(await late.ask()).toMatchObject({ blocks: 300, snapshot: 9 })
    // A reader that opened the earlier views still reads what they showed.
    expect(await early.ask()).toEqual(first)

    await node.grow(50)
    await exportLake({ node, lake, unit: 50 })
    expect([(await early.ask()).blocks, (await late.ask()).blocks]).toEqual([100, 300])
    const last = startAnalyst(lake)
    expect(await last.ask()).toMatchObject({ blocks: 350, snapshot: 11 })
    for (const analyst of [early, late, last]) await analyst.close()
    expect(await strayFiles(lake)).toEqual([])
  } finally {
    await node.close()
  }
})
