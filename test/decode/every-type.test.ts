import { beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../codec/containers.ts'
import { sha256 } from '../../codec/hash.ts'
import { encodeCb58, idText } from '../../codec/ids.ts'
import { decodeExactly } from '../../codec/linear.ts'
import { pBlock, unsignedPTx } from '../../codec/p.ts'
import { decodeL1Call } from '../../codec/warp.ts'
import { unsignedXTx } from '../../codec/x.ts'
import type { Step } from '../../devnet/chains/network.ts'
import { nativeAssetText } from '../../devnet/network/genesis.ts'
import { decodeCContainer } from '../../src/decode/c/rows.ts'
import { decodePContainer, transactionsOf } from '../../src/decode/p/rows.ts'
import { decodeXContainer } from '../../src/decode/x/rows.ts'
import type { Container } from '../../src/model.ts'
import { generate } from '../devnet/follow.ts'
import { expectTable } from './expect-rows.ts'
import { contextOf, rowsOfAll } from './recordings.ts'

type CRows = ReturnType<typeof decodeCContainer>

type XRows = ReturnType<typeof decodeXContainer>

type PRows = ReturnType<typeof decodePContainer>

/** The simulated network passes every fork. It has blocks and transactions that no recorded node has. */
describe('rows of simulated containers of every fork', () => {
  let p: PRows
  let x: XRows
  let c: CRows
  let pBlocks: any[]

  beforeAll(() => {
    const steps = generate({ seed: 7 }, 1_600)
    const containersOf = (path: keyof Step): Container[] =>
      steps
        .flatMap((step) => step[path])
        .map(({ bytes, id }, index) => ({ index, id: encodeCb58(id), bytes, acceptedAtNs: 0n }))
    const context = (chain: 'P' | 'X' | 'C') => ({ ...contextOf('granite', chain), nativeAssetId: nativeAssetText })
    p = rowsOfAll(containersOf('P/block'), decodePContainer, context('P'))
    x = rowsOfAll(containersOf('X/block'), decodeXContainer, context('X'))
    c = rowsOfAll(containersOf('C/block'), decodeCContainer, context('C'))
    pBlocks = containersOf('P/block').map(({ bytes }) => decodeExactly(pBlock, unwrap(bytes).block, 'block'))
  })

  test('include every type of block and transaction', () => {
    const types = (schema: { readonly variants: object }) => Object.values<any>(schema.variants).map(({ type }) => type)
    expect(new Set(p.transactions.map(({ tx_type }) => tx_type))).toEqual(new Set(types(unsignedPTx)))
    expect(new Set(p.blocks.map(({ block_type }) => block_type))).toEqual(new Set(types((pBlock as any).inner)))
    expect(new Set(x.transactions.map(({ tx_type }) => tx_type))).toEqual(new Set(types(unsignedXTx)))
    expect(new Set(c.transactions.map(({ transaction_type }) => transaction_type))).toEqual(new Set([0, 1, 2]))
    expect(new Set(c.blocks.map(({ header_field_count }) => header_field_count))).toEqual(
      new Set([16, 17, 19, 22, 24, 30]),
    )
    expect(new Set(p.blocks.map(({ wrapper }) => wrapper))).toEqual(new Set(['none', 'block', 'option', 'granite']))
  })

  test('have unique keys and the columns of their tables', () => {
    for (const [name, rows] of Object.entries(p)) expectTable(`p_${name}`, rows)
    for (const [name, rows] of Object.entries(x)) expectTable(`x_${name}`, rows)
    expectTable('c_blocks', c.blocks)
    expectTable('c_transactions', c.transactions)
    expectTable('c_atomic_transactions', c.atomicTransactions)
  })

  test('have every field of the signed message and the validation id for each validator registration', () => {
    const registered = pBlocks
      .flatMap((block) => transactionsOf(block))
      .map(({ unsignedTx }) => unsignedTx)
      .filter(({ type }) => type === 'RegisterL1ValidatorTx')
    const rows = p.validations.filter(({ tx_type }) => tx_type === 'RegisterL1ValidatorTx')
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.length).toBe(registered.length)
    registered.forEach((tx: any, i) => {
      const { payload, value } = decodeL1Call(tx.message, 'message')
      if (value.type !== 'warp.RegisterL1Validator') throw new Error(value.type)
      expect(rows[i]).toMatchObject({
        action: 'add',
        validation_id: idText(sha256(payload)),
        subnet_id: idText(value.subnetID),
        weight: value.weight,
        expiry: value.expiry,
        balance: tx.balance,
        node_id: expect.stringMatching(/^NodeID-/),
      })
    })
  })

  test('name an existing validation for each weight change, balance top-up and disabling', () => {
    const of = (action: string) => p.validations.filter((row) => row.action === action)
    const made = new Set(of('add').map((row) => row.validation_id))
    for (const action of ['set_weight', 'add_balance', 'disable']) {
      expect(of(action).length, action).toBeGreaterThan(0)
      for (const row of of(action)) expect(made, action).toContain(row.validation_id)
    }
    for (const row of of('set_weight')) expect(row).toMatchObject({ nonce: expect.anything(), node_id: null })
    for (const row of of('add_balance')) expect(row.balance).not.toBeNull()
    for (const row of of('configure')) expect(row.staked_tx_id).not.toBeNull()
    for (const row of of('remove')) expect(row.node_id).toMatch(/^NodeID-/)
  })
})
