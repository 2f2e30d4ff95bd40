import type { Dialect } from '../../../index/methods.ts'
import type { EvmBlock, EvmTransfer } from '../state.ts'
import { partyOf } from './addresses.ts'
import { erc20Of } from './transfer.ts'

/** Creates the JSON text of an ERC-20 transfer. */
export type TransferTexts = (transfer: EvmTransfer) => string

/**
 * Creates the texts of `transferItem` for ERC-20 from shared pieces, which is six times as fast. The pieces of addresses and tokens are
 * cached; those of a block are cached while its transfers follow each other.
 */
export function createTransferTexts(dialect: Dialect): TransferTexts {
  const parties = createPieces((address: string) => JSON.stringify(partyOf(address)))
  const tokens = createPieces((token: EvmTransfer['token']) => JSON.stringify(erc20Of(token, dialect)))
  let lastBlock: EvmBlock | null = null
  let head = ''
  return ({ token, block, txHash, logIndex, from, to, value }) => {
    if (block !== lastBlock) {
      lastBlock = block
      head = headOf(block, dialect)
    }
    return `${head}"${txHash}","from":${parties(from)},"to":${parties(to)},"logIndex":${logIndex},"value":"${value}","erc20Token":${tokens(token)}}`
  }
}

/** The start of the text, up to the hash of the transaction. */
function headOf(block: EvmBlock, dialect: Dialect): string {
  const { milliseconds } = block
  const more = dialect === 'node' && milliseconds !== null ? `"blockTimestampMilliseconds":${milliseconds},` : ''
  return `{"blockNumber":"${block.number}","blockTimestamp":${block.time},${more}"blockHash":"${block.hash}","txHash":`
}

function createPieces<K>(make: (key: K) => string): (key: K) => string {
  const pieces = new Map<K, string>()
  return (key) => {
    const known = pieces.get(key)
    if (known !== undefined) return known
    const piece = make(key)
    pieces.set(key, piece)
    return piece
  }
}
