import { afterEach, expect, test } from 'vitest'
import { chainlake } from '../cli/in-process.ts'
import { recordedAnswers } from '../decode/evm/rpc-facts.ts'
import { newLake } from '../run/lake-run.ts'
import { type EvmNode, type EvmNodeOptions, startEvmNode } from '../sources/evm-node.ts'

const granite = recordedAnswers('granite').slice(0, 120)
const nodes: EvmNode[] = []
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.close()
})

async function doctor(chain: typeof granite, options: EvmNodeOptions = {}, more: readonly string[] = []) {
  const node = await startEvmNode(chain, options)
  nodes.push(node)
  // Nothing listens at the default URL of a node.
  const args = ['evm-blocks', '--chain', node.url, '--lake', newLake(), '--node-url', 'http://127.0.0.1:1', ...more]
  const { code, stdout } = await chainlake(['doctor', ...args, '--json'])
  const { checks } = JSON.parse(stdout) as {
    checks: { about: string; verdict: string; code: string; says: string; todo: string }[]
  }
  return { code, node, args, checks, bad: checks.filter(({ verdict }) => verdict === 'bad') }
}

test('doctor and plan need no Avalanche node for a chain by its URL', async () => {
  const { code, node, args, checks, bad } = await doctor(granite)
  expect({ code, bad }).toEqual({ code: 0, bad: [] })
  const says = checks.map((check) => check.says).join('\n')
  expect(says).toContain('It serves chain 43112 (network ')
  expect(says).toContain(
    'the head is 119, and 120 blocks are missing in the lake. The first missing one, at 0, can be read.',
  )
  expect(checks.filter(({ about }) => about.startsWith('node '))).toEqual([])
  const plan = await chainlake(['plan', ...args, '--json'])
  expect(JSON.parse(plan.stdout)).toMatchObject([{ head: 119, records: 120, remark: null }])
  expect(node.requested().length).toBeLessThan(20)
})

test('doctor says from which block on a node has blocks that was synchronized by state', async () => {
  const has = (number: number) => number === 0 || number >= 73
  const { code, bad } = await doctor(granite.filter((_, number) => has(number)))
  expect(code).toBe(3)
  expect(bad).toMatchObject([{ code: 'evm.missing-block' }])
  expect(bad[0]!.says).toContain('It has the blocks from 73 on')
  expect(bad[0]!.todo).toContain('--from 73')
  const later = await doctor(
    granite.filter((_, number) => has(number)),
    {},
    ['--from', '73'],
  )
  expect({ code: later.code, bad: later.bad }).toEqual({ code: 0, bad: [] })
})

test('doctor and plan say that the final block stands still', async () => {
  const interfere: NonNullable<EvmNodeOptions['interfere']> = ({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] === 'finalized' ? { result: granite[0]!.block } : undefined
  const { code, checks, args } = await doctor(granite, { interfere })
  expect(code).toBe(0)
  const remark = /The node says that block 0 is its last final block, 119 blocks and \d+ days below its newest one\./
  expect(checks.find((check) => check.code === 'doctor.head')!.says).toMatch(remark)
  const plan = await chainlake(['plan', ...args])
  expect(plan.stdout).toMatch(remark)
  const run = await chainlake(['run', ...args, '--finality', '10'])
  expect(run.code).toBe(0)
  expect(run.stderr).toMatch(remark)
  expect(run.stderr).toContain('finality is 10: the run reads up to block 109.')
})
