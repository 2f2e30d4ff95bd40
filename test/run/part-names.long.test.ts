import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { chainlake } from '../cli/in-process.ts'
import { newLake, query } from './lake-run.ts'

test('two streams fill one table in one run', async () => {
  const node = await startDevnet({ seed: 3, blocks: 1_200, legacy: true })
  try {
    const lake = newLake()
    const names = ['p-blocks', 'x-blocks', 'c-blocks', 'x-transactions', 'x-vertices']
    const { code, stderr } = await chainlake(['run', ...names, '--node-url', node.url, '--lake', lake])
    expect(code, stderr).toBe(0)
    const sources = await query(lake, 'select distinct timestamp_source as s from x_transactions order by s')
    expect(sources).toEqual([{ s: 'accepted' }, { s: 'block' }])
    expect(await query(lake, 'select count(*) - count(distinct tx_id) as n from x_transactions')).toEqual([{ n: '0' }])
  } finally {
    await node.close()
  }
})
