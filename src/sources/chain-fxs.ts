import { idText } from '../../codec/cb58.ts'
import { bytesOfCheckedHex, CheckedHexError } from '../../codec/checked-hex.ts'
import { sha256 } from '../../codec/hash.ts'
import { decodeExactly } from '../../codec/linear/index.ts'
import { signedPTx } from '../../codec/p/transactions.ts'
import type { FxOrder } from '../../codec/x/fxs.ts'
import { fxOfId } from '../../codec/x/fxs.ts'
import type { Connection } from '../define/connection.ts'
import { theNode } from '../define/index.ts'
import { ConfigError, DecodeError, RpcError } from '../errors.ts'
import { fieldOf } from './field-of.ts'
import { askNode } from './node-client.ts'

/**
 * The feature extensions of a chain of the asset VM, in the order of its CreateChainTx. platform.getTx returns that transaction, because
 * its id is the id of the chain. Throws `ConfigError` if the node does not know the chain or the chain runs another VM, and `DecodeError`
 * if the bytes belong to another transaction.
 */
export async function readChainFxs(
  connection: Connection,
  blockchainId: string,
  signal?: AbortSignal,
): Promise<FxOrder> {
  const question = {
    host: 'node',
    endpoint: theNode,
    path: '/ext/bc/P',
    method: 'platform.getTx',
    params: { txID: blockchainId, encoding: 'hex' },
  } as const
  const parse = (answer: unknown) => transactionIn(answer, blockchainId)
  const options = { parse, ...(signal === undefined ? {} : { signal }) }
  const { unsignedTx } = await askNode(connection, question, options).catch((cause: unknown) => {
    if (!(cause instanceof RpcError)) throw cause
    throw unknownChain(
      blockchainId,
      'The node does not return the transaction that created it (platform.getTx).',
      cause,
    )
  })
  if (unsignedTx.type !== 'CreateChainTx')
    throw unknownChain(
      blockchainId,
      `The transaction with that id is a ${unsignedTx.type}, which does not create a chain.`,
    )
  return fxOrder(blockchainId, unsignedTx.fxIDs.map(idText))
}

/** The feature extensions with these CB58 ids. Throws `ConfigError` if one of them is not of the asset VM, or if there are none. */
export function fxOrder(blockchainId: string, ids: readonly string[]): FxOrder {
  const order = ids.map((id) => {
    const fx = fxOfId(id)
    if (fx === null)
      throw unknownChain(blockchainId, `It has the feature extension ${id}, which the asset VM does not know.`)
    return fx
  })
  if (order.length === 0) throw unknownChain(blockchainId, 'It has no feature extensions, so it runs another VM.')
  return order
}

function transactionIn(answer: unknown, id: string) {
  const bytes = bytesIn(answer)
  const derived = idText(sha256(bytes))
  if (derived !== id)
    throw new DecodeError('The node answers platform.getTx with another transaction than the requested one.', {
      code: 'decode.field',
      details: { requested: id, received: derived },
      hint: 'Nothing was written. The answer was damaged in transit, or the node is wrong: try another node.',
    })
  return decodeExactly(signedPTx, bytes, 'tx')
}

function bytesIn(answer: unknown): Uint8Array {
  try {
    return bytesOfCheckedHex(fieldOf(answer, 'tx'))
  } catch (cause) {
    if (!(cause instanceof CheckedHexError)) throw cause
    throw new DecodeError(`The answer to platform.getTx ${cause.message}.`, {
      code: 'decode.field',
      hint: 'The answer was damaged in transit: run again, or try another node.',
      cause,
    })
  }
}

function unknownChain(blockchainId: string, why: string, cause?: unknown): ConfigError {
  return new ConfigError(
    `Cannot determine the types of chain ${blockchainId}, which follow from its CreateChainTx. ${why}`,
    {
      code: 'config.chain-fxs',
      details: { chain: blockchainId },
      hint: 'Give --chain the blockchain id of a chain of the asset VM, and a node that serves the P chain up to the block that created it.',
      ...(cause === undefined ? {} : { cause }),
    },
  )
}
