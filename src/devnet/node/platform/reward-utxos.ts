import { bytesOnly, encodedBytes } from '../../http/encoding.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { encodingOf, idOf } from '../../http/parameters.ts'
import type { PrimaryLedger } from '../../service/primary/ledger/ledger.ts'
import { utxoPayload } from '../../service/primary/shapes/utxo-bytes.ts'

/** The UTXOs that a staking transaction was rewarded with, spent or not; none before its end, and none of another transaction. */
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
