import type { RpcMethod } from '../../http/json-rpc.ts'
import { MethodError, type Parameters, textOf } from '../../http/parameters.ts'
import { nativeAssetText } from '../../network/genesis.ts'
import type { PrimaryLedger } from '../../service/primary/ledger/ledger.ts'
import type { Utxo } from '../../service/primary/ledger/model.ts'
import { unspentOf } from '../../service/primary/unspent.ts'
import { readAddress } from '../utxos/addresses.ts'
import { addTo } from '../utxos/sums.ts'
import { assetOf } from './assets.ts'

/** The alias of the fee asset of a chain of the asset VM, and the chain's address prefix. */
type XNames = { readonly alias: string; readonly name: string }

/**
 * The balances that an address alone can spend now on the X-Chain. Outputs with other owners and locked outputs do not count (specification
 * 4.1).
 */
export function xBalanceMethods(
  ledger: PrimaryLedger,
  { alias, name }: XNames,
): Readonly<Record<'getBalance' | 'getAllBalances', RpcMethod>> {
  const addressOf = (parameters: Parameters) => readOwn(parameters, name)
  const coinsOf = async (parameters: Parameters): Promise<Utxo[]> => {
    const address = addressOf(parameters)
    const state = await ledger.state()
    return unspentOf(state, 'X', address).filter(({ kind, owner }) => {
      return kind === 'transfer' && owner.addresses.length === 1 && owner.locktime <= BigInt(state.times.X)
    })
  }
  return {
    getBalance: async (parameters) => {
      addressOf(parameters)
      const asset = assetOf(textOf(parameters, 'assetid'), alias)
      const coins = (await coinsOf(parameters)).filter((coin) => coin.asset === asset)
      const sums = new Map([[asset, 0n]])
      for (const { amount } of coins) addTo(sums, asset, amount)
      const utxoIDs = coins.map(({ txId, index }) => ({ txID: txId, outputIndex: index }))
      return [JSON.stringify({ balance: String(sums.get(asset)), utxoIDs })]
    },
    getAllBalances: async (parameters) => {
      const sums = new Map<string, bigint>()
      for (const { asset, amount } of await coinsOf(parameters)) addTo(sums, asset, amount)
      const balances = [...sums].map(([asset, sum]) => ({
        asset: asset === nativeAssetText ? alias : asset,
        balance: sum.toString(),
      }))
      return [JSON.stringify({ balances })]
    },
  }
}

function readOwn(parameters: Parameters, name: string): string {
  const given = textOf(parameters, 'address')
  try {
    return readAddress('X', given, name).text
  } catch (error) {
    if (!(error instanceof MethodError)) throw error
    throw new MethodError(`problem parsing address '${given}': ${error.message}`)
  }
}
