import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { chainlake } from '../cli/in-process.ts'
import { newLake } from '../run/lake-run.ts'
import { damage, dataFiles } from './damage.ts'

test('after a repair of a list, gaps names it until a run has read it again', async () => {
  const devnet = await startDevnet({ seed: 7, blocks: 60 })
  try {
    const lake = newLake()
    const run = () =>
      chainlake([
        ...['run', 'rest-evm-blocks', '--network', 'local', '--chain-id', '43112', '--lake', lake],
        ...['--data-url', devnet.url, '--metrics-url', devnet.url],
      ])
    const gaps = (...flags: string[]) => chainlake(['gaps', '--lake', lake, ...flags])
    expect((await run()).code).toBe(0)
    expect(await gaps('--check')).toMatchObject({ code: 0, stdout: 'No gaps.\n' })
    for (const path of dataFiles(lake, (table) => table === 'rest_evm_blocks'))
      damage(lake, path, 'gone', { random: () => 0, other: '' })
    expect((await chainlake(['repair', '--lake', lake])).code).toBe(0)
    const missing = await gaps('--check')
    expect(missing.code).toBe(9)
    expect(missing.stdout).toMatch(/^local\/rest-evm-blocks\/43112 +rest_evm_blocks$/m)
    expect(JSON.parse((await gaps('--json')).stdout)).toEqual([
      { stream: 'local/rest-evm-blocks/43112', table: 'rest_evm_blocks', unit: 'list', from: null, to: null },
    ])
    expect((await run()).code).toBe(0)
    expect(await gaps('--check')).toMatchObject({ code: 0, stdout: 'No gaps.\n' })
  } finally {
    await devnet.close()
  }
})
