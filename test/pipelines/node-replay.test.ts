import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { transactionsByIdPipeline } from '../../pipelines/transactions-by-id.ts'
import { validatorsPipeline } from '../../pipelines/validators.ts'
import { vmConfigPipeline } from '../../pipelines/vm-config.ts'
import { startServer } from '../fetch/local-server.ts'
import { recordingFolder } from '../recorded.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake, query } from '../run/lake-run.ts'
import { answered } from './replayed-node.ts'

test('the validators job requests the delegators of a recorded node one validator at a time', async () => {
  const lake = newLake()
  const node = await startDevnet({ replay: recordingFolder('live') })
  await exportLake({ node, lake, jobs: [jobOf(validatorsPipeline, { delegators: true })], networkId: 12345 })
  await node.close()
  const ofOneNode = answered('live', 'platform.getCurrentValidators').filter(
    ({ params }) => params.nodeIDs?.length === 1,
  )
  const expected = ofOneNode.flatMap(({ result }) => result.validators[0].delegators)
  const rows = await query(lake, 'select tx_id, weight::varchar as weight from node_delegators_latest order by tx_id')
  expect(rows).toEqual(
    expected.map(({ txID, weight }) => ({ tx_id: txID, weight })).sort((a, b) => (a.tx_id < b.tx_id ? -1 : 1)),
  )
  expect(rows.length).toBe(4)
})

test('the next run requests a processing transaction again, and requests its content only when it is accepted', async () => {
  const lake = newLake()
  const replay = await startDevnet({ replay: recordingFolder('granite') })
  const ids = [...new Set(answered('granite', 'avax.getAtomicTx').map(({ params }) => String(params.txID)))].slice(0, 3)
  let processing = new Set(ids.slice(0, 2))
  const node = await startServer(async ({ path, body, method }) => {
    const call = method === 'POST' ? JSON.parse(body) : {}
    if (call.method === 'avax.getAtomicTxStatus' && processing.has(call.params.txID))
      return { body: JSON.stringify({ jsonrpc: '2.0', id: call.id, result: { status: 'Processing' } }) }
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${replay.url}${path}`, method === 'POST' ? { method, body, headers } : { method })
    return { status: answer.status, body: await answer.text() }
  })
  const jobs = [jobOf(transactionsByIdPipeline, { 'tx-ids': ids, chain: 'C' })]
  const requested = (name: string) => node.received.filter(({ body }) => body.includes(`"${name}"`)).length
  await exportLake({ node, lake, jobs })
  expect(await query(lake, 'select tx_id from node_transactions')).toEqual([{ tx_id: ids[2] }])
  expect([requested('avax.getAtomicTxStatus'), requested('avax.getAtomicTx')]).toEqual([3, 1])
  processing = new Set()
  await exportLake({ node, lake, jobs })
  expect(await query(lake, 'select count(*)::int as n, min(tx_status) as s from node_transactions')).toEqual([
    { n: 3, s: 'Accepted' },
  ])
  expect([requested('avax.getAtomicTxStatus'), requested('avax.getAtomicTx')]).toEqual([5, 3])
  await node.close()
  await replay.close()
})

test('the VM config job reads a node before Helicon, and fails with a 404 on a later node', async () => {
  const lake = newLake()
  const granite = await startDevnet({ replay: recordingFolder('granite') })
  await exportLake({ node: granite, lake, jobs: [jobOf(vmConfigPipeline)] })
  await granite.close()
  expect(
    await query(lake, 'select pruning_enabled, historical_proof_query_window::int as w from node_vm_config_latest'),
  ).toEqual([{ pruning_enabled: false, w: 43200 }])
  const helicon = await startDevnet({ replay: recordingFolder('helicon') })
  await expect(exportLake({ node: helicon, lake: newLake(), jobs: [jobOf(vmConfigPipeline)] })).rejects.toThrow(/404/)
  await helicon.close()
})
