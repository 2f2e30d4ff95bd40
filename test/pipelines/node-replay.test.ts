import { expect, test } from 'vitest'
import { validatorsPipeline } from '../../pipelines/validators.ts'
import { vmConfigPipeline } from '../../pipelines/vm-config.ts'
import { startDevnet } from '../../src/devnet/serve.ts'
import { recordingFolder } from '../recorded.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake, query } from '../run/lake-run.ts'
import { answered, describeReplayedNode } from './replayed-node.ts'

describeReplayedNode('granite')

test('delegators of a recorded node: those that it lists are asked for one by one', async () => {
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

test('the configuration of a node of before Helicon; that of a later one is refused with the path', async () => {
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
