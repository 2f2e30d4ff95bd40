import { bytesOnly, encodedBytes } from '../../http/encoding.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { encodingOf, idOf } from '../../http/parameters.ts'
import type { PrimaryLedger } from '../../service/primary/ledger/ledger.ts'
import { utxoPayload } from '../../service/primary/shapes/utxo-bytes.ts'

/** The reward UTXOs of a staking transaction, spent or not. The list is empty before the end of the stake, and for other transactions. */
export function rewardUtxoMethods(ledger: PrimaryLedger): Readonly<Record<'getRewardUTXOs', RpcMethod>> {
  return {
    getRewardUTXOs: async (parameters) => {
      const txId = idOf(parameters, 'txid')
      const encoding = bytesOnly(encodingOf(parameters))
      const rewards = (await ledger.state()).stakings.get(txId)?.rewards ?? []
      const texts = rewards.map((utxo) => `"${encodedBytes(utxoPayload(utxo), encoding)}"`)
      return [`{"numFetched":"${rewards.length}","utxos":[${texts}],"encoding":"${encoding}"}`]
    },
  }
}
