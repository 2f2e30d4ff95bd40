import { describe, expect, test } from 'vitest'
import { nativeAssetText } from '../../../devnet/network/genesis.ts'
import { totalsOfRoutes } from '../../../devnet/service/plumbing/route.ts'
import { createPrimaryLedger, type PrimaryState } from '../../../devnet/service/primary/ledger/ledger.ts'
import type { Amount, LedgerTx, Utxo } from '../../../devnet/service/primary/ledger/model.ts'
import { primaryRoutes } from '../../../devnet/service/primary/routes/index.ts'
import { pAmounts, specAmounts } from '../../../devnet/service/primary/routes/transactions.ts'
import { stepNetwork } from './primary-network.ts'

const steps = 1_200
const seed = 11
const network = stepNetwork({ seed }, steps, steps)
const whole = createPrimaryLedger(network, seed)
const state = await whole.state()

const native = (amounts: readonly Amount[]): bigint => {
  return amounts.reduce((sum, { asset, amount }) => (asset === nativeAssetText ? sum + amount : sum), 0n)
}
const all = ({ p, x, c }: PrimaryState): LedgerTx[] => [...p, ...x, ...c]
const of = (origin: Utxo['origin']) => state.book.utxos.filter((utxo) => utxo.origin === origin)

describe('the ledger of the primary network', () => {
  test('has every kind of UTXO, spent and unspent', () => {
    for (const origin of ['output', 'export', 'stake', 'reward', 'refund'] as const) {
      expect(of(origin).some(({ consumption }) => consumption !== null)).toBe(true)
      expect(of(origin).some(({ consumption }) => consumption === null)).toBe(true)
    }
    expect(new Set(of('reward').map(({ rewardType }) => rewardType))).toEqual(
      new Set(['VALIDATOR', 'DELEGATOR', 'VALIDATOR_FEE']),
    )
  })

  test('emits each UTXO once and consumes it at most once', () => {
    const emitted = all(state).flatMap((tx) => tx.emitted)
    expect(new Set(emitted).size).toBe(emitted.length)
    expect(emitted.length + of('genesis').length).toBe(state.book.utxos.length)
    const consumed = all(state).flatMap((tx) => tx.consumed)
    expect(new Set(consumed).size).toBe(consumed.length)
    expect(new Set(state.book.utxos.filter(({ consumption }) => consumption !== null))).toEqual(new Set(consumed))
  })

  test('conserves the native asset in every transaction', () => {
    for (const tx of state.p) {
      const paid = tx.emitted.filter(({ origin }) => origin === 'reward' || origin === 'refund')
      const { burned, l1Balance } = pAmounts(tx)
      expect(native(tx.consumed) + native(paid)).toBe(native(tx.emitted) + native(burned) + native(l1Balance))
    }
    for (const tx of [...state.x, ...state.c]) {
      const evm = tx.chain === 'C' ? native(tx.evm) : 0n
      const [given, got] = tx.type === 'ImportTx' ? [0n, evm] : [evm, 0n]
      const burned = native(specAmounts(tx).burned)
      if (tx.chain === 'X') expect(burned).toBeGreaterThan(0n)
      expect(native(tx.consumed) + given).toBe(native(tx.emitted) + got + burned)
    }
  })

  test('conserves the native asset of the network', () => {
    const burned = state.p.reduce((sum, tx) => sum + native(pAmounts(tx).burned) + native(pAmounts(tx).l1Balance), 0n)
    const burnedElsewhere = [...state.x, ...state.c].reduce((sum, tx) => sum + native(specAmounts(tx).burned), 0n)
    const evm = state.c.reduce((sum, tx) => sum + (tx.type === 'ExportTx' ? native(tx.evm) : -native(tx.evm)), 0n)
    const unspent = state.book.utxos.filter(({ consumption }) => consumption === null)
    const made = native(of('genesis')) + native(of('reward')) + native(of('refund')) + evm
    expect(native(unspent) + burned + burnedElsewhere).toBe(made)
  })

  test('has as rewards the UTXOs that reward transactions pay', () => {
    expect(state.rewards.map(({ utxo }) => utxo)).toEqual(of('reward'))
    for (const { utxo, stake, tx } of state.rewards) {
      expect(utxo.txId).toBe(stake.tx.txId)
      expect(tx.emitted).toContain(utxo)
      expect(tx.details.stakingTxId).toBe(stake.tx.txId)
      expect(tx.place.time).toBeGreaterThanOrEqual(stake.end)
      expect(stake.ended).toBe(tx)
    }
  })

  test('never lists a transaction twice', () => {
    const ids = all(state).map(({ txId }) => txId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('lists transactions in the order of their blocks', () => {
    for (const list of [state.p, state.x, state.c]) {
      list.forEach((tx, at) => {
        const before = list[at - 1]
        expect(tx.order).toBe(at)
        if (before === undefined) return
        expect(tx.place.height).toBeGreaterThanOrEqual(before.place.height)
        expect(tx.place.time).toBeGreaterThanOrEqual(before.place.time)
      })
    }
  })

  test('is the same after its head has moved as when it starts at that head', async () => {
    const growing = stepNetwork({ seed }, 137, steps)
    const ledger = createPrimaryLedger(growing, seed)
    for (const head of [137, 138, 139, 500, 501, 503, 900, steps]) {
      growing.moveTo(head)
      await Promise.all([ledger.state(), ledger.state()])
    }
    const grown = await ledger.state()
    expect(await totalsOfRoutes(primaryRoutes(ledger), 'node')).toEqual(
      await totalsOfRoutes(primaryRoutes(whole), 'node'),
    )
    expect(grown.tally.totals()).toEqual(state.tally.totals())
    expect(grown.p.map(({ txId }) => txId)).toEqual(state.p.map(({ txId }) => txId))
    const idsOf = ({ book }: PrimaryState) => book.utxos.map(({ id }) => id).sort()
    expect(idsOf(grown)).toEqual(idsOf(state))
  })

  test('has the same transactions when the X-Chain has vertices', async () => {
    const legacy = await createPrimaryLedger(stepNetwork({ seed, legacy: true }, steps, steps), seed).state()
    expect(legacy.x.map(({ txId }) => txId)).toEqual(state.x.map(({ txId }) => txId))
    expect(legacy.vertices.length).toBeGreaterThan(100)
    expect(legacy.vertices.flatMap(({ txIds }) => txIds)).toEqual(
      legacy.x.filter(({ vertex }) => vertex !== null).map(({ txId }) => txId),
    )
    const { x_vertices: _, x_blocks: __, ...same } = legacy.tally.totals()
    for (const [table, totals] of Object.entries(same)) expect(totals).toEqual(state.tally.totals()[table])
  })
})
