import type { RpcMethod } from '../../http/json-rpc.ts'
import { MethodError, textOf } from '../../http/parameters.ts'
import { nativeAssetText } from '../../network/genesis.ts'
import type { PrimaryLedger } from '../../service/primary/ledger/ledger.ts'
import { idMistake } from '../shared/ids.ts'

/** The alias of the native asset on the X-Chain. */
export const nativeAlias = 'AVAX'
/** The alias of the fee asset on another chain of the asset VM. */
export const feeAlias = 'feeasset'

/** Resolves the id or the alias of an asset to its id. */
export function assetOf(given: string, alias: string): string {
  if (given === alias) return nativeAssetText
  if (idMistake(given) !== null) throw new MethodError(`asset '${given}' not found`)
  return given
}

/** Name and denomination of every asset of the chain (specification 2.4). */
export function assetMethods(ledger: PrimaryLedger, alias: string): Readonly<Record<'getAssetDescription', RpcMethod>> {
  return {
    getAssetDescription: async (parameters) => {
      const id = assetOf(textOf(parameters, 'assetid'), alias)
      const asset = (await ledger.state()).book.assets.get(id)
      if (asset === undefined) throw new MethodError('not found')
      const { name, symbol, denomination } = asset
      return [JSON.stringify({ assetID: id, name, symbol, denomination: String(denomination) })]
    },
  }
}
