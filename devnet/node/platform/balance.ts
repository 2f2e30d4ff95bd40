import type { RpcMethod } from '../../http/json-rpc.ts'
import { textsOf } from '../../http/parameters.ts'
import { nativeAssetText } from '../../network/genesis.ts'
import type { PrimaryLedger } from '../../service/primary/ledger/ledger.ts'
import type { Utxo } from '../../service/primary/ledger/model.ts'
import { unspentOf } from '../../service/primary/unspent.ts'
import { inOrder, readAddress } from '../utxos/addresses.ts'
import { addTo } from '../utxos/sums.ts'

type Sums = Map<string, bigint>
type Lock = 'unlocked' | 'lockedStakeable' | 'lockedNotStakeable'

/**
 * The balances of addresses on the P-Chain (nAVAX for the native asset), by their lock at the chain's time. An output that needs several
 * signatures counts in full (specification 4.3).
 */
export function balanceMethods(ledger: PrimaryLedger): Readonly<Record<'getBalance', RpcMethod>> {
  return {
    getBalance: async (parameters) => {
      const addresses = inOrder(textsOf(parameters, 'addresses').map((text) => readAddress('P', text)))
      const state = await ledger.state()
      const utxos = new Set(addresses.flatMap(({ text }) => unspentOf(state, 'P', text)))
      return [JSON.stringify(balanceJson([...utxos], state.times.P))]
    },
  }
}

function balanceJson(utxos: readonly Utxo[], time: number): object {
  const balances: Sums = new Map()
  const byLock: Record<Lock, Sums> = {
    unlocked: new Map(),
    lockedStakeable: new Map(),
    lockedNotStakeable: new Map(),
  }
  for (const utxo of utxos) {
    addTo(byLock[lockOf(utxo, BigInt(time))], utxo.asset, utxo.amount)
    addTo(balances, utxo.asset, utxo.amount)
  }
  const { unlocked, lockedStakeable, lockedNotStakeable } = byLock
  return {
    balance: nativeOf(balances),
    unlocked: nativeOf(unlocked),
    lockedStakeable: nativeOf(lockedStakeable),
    lockedNotStakeable: nativeOf(lockedNotStakeable),
    balances: mapJson(balances),
    unlockeds: mapJson(unlocked),
    lockedStakeables: mapJson(lockedStakeable),
    lockedNotStakeables: mapJson(lockedNotStakeable),
    utxoIDs: utxos.length === 0 ? null : utxos.map(({ txId, index }) => ({ txID: txId, outputIndex: index })),
  }
}

function lockOf({ owner, stakeableLocktime }: Utxo, time: bigint): Lock {
  if (owner.locktime > time) return 'lockedNotStakeable'
  return stakeableLocktime !== null && stakeableLocktime > time ? 'lockedStakeable' : 'unlocked'
}

function nativeOf(sums: Sums): string {
  return (sums.get(nativeAssetText) ?? 0n).toString()
}

function mapJson(sums: Sums): Record<string, string> {
  return Object.fromEntries([...sums].map(([asset, sum]) => [asset, sum.toString()]))
}
