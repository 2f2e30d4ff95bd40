import { atomicTxBatch, decodeCBlock, decodeExtData } from '../../codec/c.ts'
import { decodeWithSpans, type Schema } from '../../codec/linear.ts'
import { pBlock } from '../../codec/p.ts'
import { xBlock } from '../../codec/x.ts'

/** The bytes of each `spanned` transaction, preceded by the codec version, which it does not have in `bytes`. */
function transactionsIn(schema: Schema<any>, bytes: Uint8Array): Uint8Array[] {
  const { spans } = decodeWithSpans(schema, bytes, 'bytes')
  const found: Uint8Array[] = []
  for (let i = 0; i < spans.length; i += 2) found.push(Buffer.concat([version, bytes.subarray(spans[i], spans[i + 1])]))
  return found
}

const version = new Uint8Array(2)

export function pTransactionsIn(block: Uint8Array): Uint8Array[] {
  return transactionsIn(pBlock, block)
}

export function xTransactionsIn(block: Uint8Array): Uint8Array[] {
  return transactionsIn(xBlock, block)
}

export function atomicTransactionsIn(block: Uint8Array): Uint8Array[] {
  return transactionsInExtData(decodeCBlock(block, 'block').block.extData)
}

export function transactionsInExtData(extData: Uint8Array): Uint8Array[] {
  const { encoding } = decodeExtData(extData, 'extData')
  if (encoding === 'none') return []
  return encoding === 'single' ? [extData] : transactionsIn(atomicTxBatch, extData)
}
