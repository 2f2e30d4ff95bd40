import { afterEach, expect, test } from 'vitest'
import { verifyLake } from '../../../src/verify/verify-lake.ts'
import { contracts, endNodes, granite, logsOf, ofLogs, run, serve } from '../../pipelines/evm-log-runs.ts'
import { newLake } from '../../run/lake-run.ts'
import { filesOf, type Row, rewriteFile } from '../rewrite-file.ts'
import { copyOf } from '../sound-lake.ts'

afterEach(endNodes)

const chain = granite.slice(0, 60)
const logs = logsOf(chain)

function verifierAt(nodeUrl: string) {
  return (folder: string) => verifyLake({ lake: { folder }, fast: true, rpc: { nodeUrl, sample: 200 } })
}

test('Logs of evm-logs are compared with eth_getLogs of the chain, by the filter of their stream', async () => {
  const node = await serve({}, chain)
  const lake = newLake()
  const topics = [...new Set(logs.map(({ topics: [first] }) => first as string))]
  await run(lake, node, ofLogs({ contracts: contracts.slice(0, 1) }), ofLogs({ topics: topics.slice(0, 1), from: 20 }))
  const verify = verifierAt(node.url)
  const sound = await verify(lake)
  expect(sound.findings).toEqual([])
  expect(sound.remarks.map(({ message }) => message).join()).toContain('eth_getLogs of chain 43112 (100)')
  const [file] = await filesOf(lake, 'evm_logs')
  const damages: [string, (rows: Row[]) => Row[]][] = [
    ['source.missing', (rows) => rows.slice(1)],
    ['source.different', ([first, ...rest]) => [{ ...first, data: new Uint8Array(32) }, ...rest]],
    ['source.extra', (rows) => [...rows, { ...rows[0], log_index: 999n }]],
  ]
  for (const [kind, change] of damages) {
    const copy = copyOf(lake)
    await rewriteFile(copy, file!, change)
    const found = (await verify(copy)).findings.filter((each) => each.kind.startsWith('source.'))
    expect(found).toMatchObject([{ kind, table: 'evm_logs', stream: expect.stringMatching(/^local.evm-logs.43112\?/) }])
  }
})

test('A stream with a list that its text shortens is compared with the whole list', async () => {
  const node = await serve({}, chain)
  const verify = verifierAt(node.url)
  const lake = newLake()
  const others = Array.from({ length: 40 }, (_, at) => `0x${String(at).padStart(40, '0')}`)
  await run(lake, node, ofLogs({ contracts: [contracts[0], ...others] }))
  expect((await verify(lake)).findings).toEqual([])
  const [file] = await filesOf(lake, 'evm_logs')
  await rewriteFile(lake, file!, (rows) => rows.slice(1))
  const found = (await verify(lake)).findings.filter(({ kind }) => kind === 'source.missing')
  expect(found).toMatchObject([{ table: 'evm_logs', stream: expect.stringContaining('?contracts=0x') }])
})
