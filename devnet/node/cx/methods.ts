import { type AtomicTx, signedAtomicTx } from '../../../codec/c.ts'
import { DecodeError } from '../../../codec/errors.ts'
import { sha256 } from '../../../codec/hash.ts'
import { idText } from '../../../codec/ids.ts'
import { decodeExactly } from '../../../codec/linear.ts'
import type { GrowingNetwork } from '../../chains/growing-network.ts'
import { bytesOnly, decodedBytes, encodedBytes } from '../../http/encoding.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { encodingOf, MethodError, textOf } from '../../http/parameters.ts'
import type { ContainerStore } from '../../index/store.ts'
import type { EvmLedger } from '../../service/evm/state.ts'
import type { PrimaryLedger } from '../../service/primary/ledger/ledger.ts'
import { givenId } from '../transactions/found.ts'
import { utxoMethods } from '../utxos/utxo-methods.ts'
import { acceptedAtomicTxs } from './atomic-txs.ts'
import { mistakeOf } from './check-atomic-tx.ts'

type CxFacts = {
  readonly store: ContainerStore
  readonly primary: PrimaryLedger
  readonly evm: EvmLedger
  readonly mempool: Pick<GrowingNetwork, 'issue' | 'pending'>
}

/** The atomic methods of the C-Chain (specification 4.2), without the name of their service. */
export function cxMethods({ store, primary, evm, mempool }: CxFacts): Readonly<Record<string, RpcMethod>> {
  const accepted = acceptedAtomicTxs(store)
  const waiting = (id: string): Uint8Array | null => mempool.pending().find((tx) => idText(sha256(tx)) === id) ?? null
  return {
    ...utxoMethods(primary, 'C'),
    getAtomicTx: async (parameters) => {
      const id = givenId(parameters)
      const encoding = bytesOnly(encodingOf(parameters))
      const found = await accepted(id)
      const bytes = found?.bytes ?? waiting(id)
      if (bytes === null) throw new MethodError(`could not find tx ${id}`)
      const height = found === null ? '' : `,"blockHeight":"${found.height}"`
      return [`{"tx":"${encodedBytes(bytes, encoding)}","encoding":"${encoding}"${height}}`]
    },
    getAtomicTxStatus: async (parameters) => {
      const id = givenId(parameters)
      const found = await accepted(id)
      if (found !== null) return [`{"status":"Accepted","blockHeight":"${found.height}"}`]
      return [`{"status":"${waiting(id) === null ? 'Unknown' : 'Processing'}"}`]
    },
    issueTx: async (parameters) => {
      const bytes = decodedBytes(textOf(parameters, 'tx'), encodingOf(parameters))
      if ('mistake' in bytes) throw new MethodError(`problem decoding transaction: ${bytes.mistake}`)
      const tx = readTx(bytes.bytes)
      const id = idText(sha256(bytes.bytes))
      if (waiting(id) !== null) throw new MethodError(`tx ${id} already known`)
      const pending = mempool.pending().map(readTx)
      const mistake = mistakeOf(tx, { primary: await primary.state(), evm: await evm.atHead(), pending })
      if (mistake !== null) throw new MethodError(mistake)
      mempool.issue(bytes.bytes)
      return [`{"txID":"${id}"}`]
    },
  }
}

function readTx(bytes: Uint8Array): AtomicTx {
  try {
    return decodeExactly(signedAtomicTx, bytes, 'transaction')
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new MethodError(`problem parsing transaction: ${error.message}`)
  }
}
