import { describe, expect, test } from 'vitest'
import { containerId } from '../../../codec/containers.ts'
import { sha256 } from '../../../codec/hash.ts'
import { idText } from '../../../codec/ids.ts'
import { decodeExactly, encode } from '../../../codec/linear.ts'
import { pBlock } from '../../../codec/p.ts'
import { decodeL1Call } from '../../../codec/warp.ts'
import { decodePContainer, transactionsOf } from '../../../src/decode/p/rows.ts'
import { bytesOf, vectorsOf } from '../../codec/external-vectors.ts'
import { contexts } from './recording.ts'

type PRows = ReturnType<typeof decodePContainer>

/**
 * The constructed block with one transaction of each signed type, as a container from before Apricot 4. Its transactions are of several
 * networks; here they are changed to one.
 */
function everyType(): { rows: PRows; unsigned: any[] } {
  const vector = bytesOf(vectorsOf('p-block').find(({ name }) => name.includes('21 signed types'))!.hex)
  const block = decodeExactly(pBlock, vector, 'block')
  const { networkId } = contexts.granite
  for (const { unsignedTx } of transactionsOf(block))
    if ('networkID' in unsignedTx) Object.assign(unsignedTx, { networkID: networkId })
  const bytes = encode(pBlock, block)
  const container = { index: 7, id: containerId(bytes), acceptedAtNs: 1_700_000_000_123_456_789n, bytes }
  const rows = decodePContainer(container, contexts.granite)
  return { rows, unsigned: transactionsOf(decodeExactly(pBlock, bytes, 'block')).map((tx) => tx.unsignedTx) }
}

describe('validations of L1 transactions', () => {
  test('have every field of the signed message and the validation id for a registration', () => {
    const { rows, unsigned } = everyType()
    const tx = unsigned.find(({ type }) => type === 'RegisterL1ValidatorTx')
    const row = rows.validations.find(({ tx_type }) => tx_type === 'RegisterL1ValidatorTx')!
    const { payload, value } = decodeL1Call(tx.message, 'message')
    if (value.type !== 'warp.RegisterL1Validator') throw new Error(value.type)
    expect(row).toMatchObject({
      action: 'add',
      position: 0,
      validation_id: idText(sha256(payload)),
      subnet_id: idText(value.subnetID),
      weight: value.weight,
      expiry: value.expiry,
      balance: tx.balance,
      remaining_balance_owner_threshold: value.remainingBalanceOwner.threshold,
      remaining_balance_owner_locktime: null,
    })
    expect(row.node_id).toMatch(/^NodeID-/)
    expect(rows.transactions.find(({ tx_type }) => tx_type === 'RegisterL1ValidatorTx')!.warp_message).toEqual(
      tx.message,
    )
  })

  test('have the validation id for a weight change, a balance top-up and disabling', () => {
    const { rows } = everyType()
    const byAction = Object.fromEntries(rows.validations.map((row) => [row.action, row]))
    expect(byAction['set_weight']).toMatchObject({ tx_type: 'SetL1ValidatorWeightTx', node_id: null })
    expect(byAction['set_weight']!.nonce).not.toBeNull()
    expect(byAction['add_balance']!.balance).not.toBeNull()
    for (const action of ['set_weight', 'add_balance', 'disable'])
      expect(byAction[action]!.validation_id).not.toBeNull()
    expect(byAction['configure']!.staked_tx_id).not.toBeNull()
    expect(byAction['remove']!.node_id).toMatch(/^NodeID-/)
  })
})
