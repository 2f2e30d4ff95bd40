import type { RpcMethod } from '../../http/json-rpc.ts'
import { MethodError, textOf } from '../../http/parameters.ts'
import { nativeAssetText } from '../../network/genesis.ts'
import type { PrimaryLedger } from '../../service/primary/ledger/ledger.ts'
import { idMistake } from '../shared/ids.ts'

/** What the X chain calls its native asset. */
export const nativeAlias = 'AVAX'
/** What another chain of the asset VM calls the asset in which it takes its fees. */
export const feeAlias = 'feeasset'

/** The id of an asset that is named by its id or its alias. */
export function assetOf(given: string, alias: string): string {
  if (given === alias) return nativeAssetText
  if (idMistake(given) !== null) throw new MethodError(`asset '${given}' not found`)
  return given
}

/** Name and denomination of every asset that the chain has (specification 2.4). */
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
