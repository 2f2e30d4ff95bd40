import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet, transientFaults } from '../../devnet/serve.ts'
import { republishLake } from '../../src/run/publish/publish-views.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { command, ended, logged, newLake, query, startCommand, strayFiles } from '../run/lake-run.ts'
import { listOf } from '../run/lists/devnet-jobs.ts'

let node: Devnet
let addresses: string
beforeAll(async () => {
  node = await startDevnet({ seed: 5, blocks: 100 })
  addresses = (await listOf(node, 'evm')).slice(0, 3).join()
})
afterAll(() => node.close())

const balances = 'SELECT * FROM evm_balances ORDER BY ALL'
const job = (lake: string) => [
  ...['run', 'evm-balances', '--addresses', addresses, '--from', '20', '--step', '10'],
  ...['--node-url', node.url, '--lake', lake],
]

test.each([
  ['a quiet node', null],
  ['a node that fails often', { every: 3, kinds: transientFaults, seed: 7 }],
])('balances that a run follows at %s are those of a single run, also after a kill', async (_, faults) => {
  const [lake, whole] = [newLake(), newLake()]
  node.setFaults(faults)
  const follow = () => startCommand([...job(lake), '--follow', '--max-lag', '300ms'])
  const killed = follow()
  const end = ended(killed)
  await logged(killed, '"published"')
  await node.grow(25)
  await logged(killed, '"committed"')
  killed.kill('SIGKILL')
  expect((await end).signal).toBe('SIGKILL')

  const child = follow()
  const stopped = ended(child)
  await logged(child, '"published"')
  const head = await node.grow(35)
  // The last multiple of 10 is read a round later.
  for (let last = -1; last < head - 10; ) {
    await new Promise((resolve) => setTimeout(resolve, 300))
    await republishLake({ folder: lake }).catch(() => undefined)
    const [row] = await query(lake, 'SELECT max(block_number)::INT AS last FROM evm_balances')
    last = row!['last'] as number
  }
  child.kill('SIGTERM')
  expect((await stopped).code).toBe(143)

  node.setFaults(null)
  for (const folder of [lake, whole]) {
    const { code, stderr } = await command([...job(folder), '--log-level', 'error'])
    expect(code, stderr).toBe(0)
  }
  const rows = await query(whole, balances)
  expect(rows.length).toBe(3 * (Math.floor(head / 10) - 1))
  expect(await query(lake, balances)).toEqual(rows)
  expect(await strayFiles(lake)).toEqual([])
  expect((await verifyLake({ lake: { folder: lake }, node: { nodeUrl: node.url, sample: 100 } })).findings).toEqual([])
})
