import type { FxOrder } from '../../../codec/fxs.ts'
import { sha256 } from '../../../codec/hash.ts'
import { idText, txIdInBlock } from '../../../codec/ids.ts'
import { decodeWithSpans } from '../../../codec/linear.ts'
import { type PTx, pBlock } from '../../../codec/p.ts'
import { type XTx, xCodec } from '../../../codec/x.ts'
import { type Json, type Naming, objectJson, txJson } from './transaction-json.ts'

function blockJson(
  block: object,
  txs: readonly (PTx | XTx)[],
  bytes: Uint8Array,
  spans: readonly number[],
  naming: Naming,
): Json {
  const json = objectJson({ ...block, txs: [], tx: null }, naming)
  const ofTxs = txs.map((tx, i) => ({
    ...txJson(tx, naming),
    id: idText(txIdInBlock(bytes.subarray(spans[2 * i], spans[2 * i + 1]))),
  }))
  delete json['txs']
  delete json['tx']
  const proposed = 'tx' in block ? { tx: ofTxs.pop()! } : {}
  return { ...json, ...('txs' in block ? { txs: ofTxs } : {}), ...proposed, id: idText(sha256(bytes)) }
}

/** The JSON of a P-Chain block as a node writes it, from the decoded structures of its bytes. */
export function pBlockJson(bytes: Uint8Array, hrp: string): Json {
  const { value: block, spans } = decodeWithSpans(pBlock, bytes, 'block')
  const txs = [...('txs' in block ? block.txs : []), ...('tx' in block ? [block.tx] : [])]
  return blockJson(block, txs, bytes, spans, { chain: 'P', hrp })
}

/** The JSON of an X-Chain block as a node writes it, from the decoded structures of its bytes. */
export function xBlockJson(bytes: Uint8Array, hrp: string, fxs: FxOrder | null = null): Json {
  const { value: block, spans } = decodeWithSpans(xCodec(fxs).block, bytes, 'block')
  return blockJson(block, block.txs, bytes, spans, { chain: 'X', hrp, ...(fxs === null ? {} : { fxs }) })
}
