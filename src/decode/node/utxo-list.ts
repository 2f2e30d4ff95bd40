import { ignore, pathOf, type Reading, wrong } from '../json/fields.ts'
import { count, texts } from '../json/value-fields.ts'
import { readUtxo, type Utxo, type UtxoPlace } from './utxo.ts'

/** Reads the UTXOs of an answer (specification 4.1). Throws `DecodeError` if `numFetched` is another number. */
export function listedUtxos(at: Reading, place: UtxoPlace): Utxo[] {
  const list = texts(at, 'utxos')
  const stated = count(at, 'numFetched')
  if (stated !== list.length) throw wrong(pathOf(at, 'numFetched'), `counts other than ${list.length} UTXOs`, stated)
  ignore(at, 'encoding', 'sourceChain')
  return list.map((text, position) => readUtxo(text, place, `${pathOf(at, 'utxos')}[${position}]`))
}
