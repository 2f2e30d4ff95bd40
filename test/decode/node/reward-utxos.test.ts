import { expect, test } from 'vitest'
import { nodeRewardUtxos } from '../../../schemas/node-state.ts'
import { pStateOutputs } from '../../../schemas/p-chain.ts'
import { decodeRewardUtxos } from '../../../src/decode/node/utxos.ts'
import { contextOf } from '../recordings.ts'
import { expectFits } from '../service/expect-fits.ts'
import { testContext } from '../service/reading.ts'
import { recordedCalls } from './calls.ts'
import { utxoHex } from './utxo-hex.ts'

const answers = recordedCalls('platform.getRewardUTXOs').map((call) => ({
  ...call,
  context: contextOf(call.recording === 'helicon' ? 'helicon' : 'granite', 'P'),
}))

test('recorded reward UTXOs give rows with every byte of them, and the reward has a row even without UTXOs', () => {
  expect(answers.length).toBeGreaterThan(24)
  let paid = 0
  for (const { params, result, context } of answers) {
    const reading = testContext()
    const question = { network: context.network, hrp: context.hrp, txId: params.txID, stakedTxId: params.txID }
    const requested = { ...question, isDecided: true }
    const { rows, next } = decodeRewardUtxos(requested)(result, reading)
    expect(reading.unknown).toEqual([])
    expect(next).toBeNull()
    const bare = { output_type: 'transfer', group_id: null, payload: null }
    expect(rows.outputs.map((row) => utxoHex({ ...row, ...bare } as never, 'P'))).toEqual(result.utxos)
    for (const row of rows.outputs)
      expect(row).toMatchObject({ origin: 'reward', tx_id: params.txID, staked_tx_id: params.txID })
    expect(rows.rewards).toEqual([
      {
        network: context.network,
        tx_id: params.txID,
        staked_tx_id: params.txID,
        utxo_ids: rows.outputs.map(({ utxo_id }) => utxo_id),
        observed_at: reading.observedAt,
      },
    ])
    expectFits(pStateOutputs, rows.outputs)
    expectFits(nodeRewardUtxos, rows.rewards)
    paid += rows.outputs.length
  }
  expect(paid).toBe(4)
})

test('an empty answer is final only if the reward was decided before the request', () => {
  const none = { numFetched: '0', utxos: [], encoding: 'hex' }
  const { params, result } = answers.find(({ result }) => result.numFetched !== '0')!
  const requested = { network: 'local', hrp: 'local', txId: params.txID, stakedTxId: params.txID }
  const rewardsOf = (isDecided: boolean, answer: unknown) =>
    decodeRewardUtxos({ ...requested, isDecided })(answer, testContext()).rows.rewards
  expect(rewardsOf(true, none)).toHaveLength(1)
  expect(rewardsOf(false, none)).toEqual([])
  expect(rewardsOf(false, result)).toHaveLength(1)
})

test('UTXOs of another transaction than the requested one are refused', () => {
  const { params, result } = answers.find(({ result }) => result.numFetched !== '0')!
  const requested = { network: 'local', hrp: 'local', txId: 'another', stakedTxId: 'another', isDecided: true }
  expect(() => decodeRewardUtxos(requested)(result, testContext())).toThrow(
    /utxos\[0\].*is none of transaction another/,
  )
  expect(params.txID).not.toBe('another')
})
