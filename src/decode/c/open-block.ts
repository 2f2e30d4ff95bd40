import { cBlockNumber, decodeCBlock, type HashedCBlock } from '../../../codec/c/blocks.ts'
import type { CHeader } from '../../../codec/c/header.ts'
import type { OpenedContainer } from '../../../codec/opened-container.ts'
import { DecodeError } from '../../errors.ts'
import type { ChainContext, Container } from '../../model.ts'
import { boundedNumber } from '../numbers.ts'
import { openContainer } from '../open-container.ts'
import { timeOf, timeOfMilliseconds } from '../times.ts'
import type { CPlace } from './place.ts'

export type OpenCBlock = HashedCBlock & { readonly container: OpenedContainer; readonly place: CPlace }

/**
 * Decodes the block in a container of C/block: a wrapped block, or before Apricot phase 4 the bare block with its hash as its id. Throws
 * `DecodeError` if the id derived from the bytes differs from the node's, or if the content is impossible in a C-Chain block.
 */
export function openCBlock(container: Container, context: ChainContext): OpenCBlock {
  const opened = openContainer(container)
  const hashed = decodeNamed(opened.wrapper.block)
  const { header, uncles, version } = hashed.block
  if (uncles.length > 0 || version !== 0n)
    throw new DecodeError(`The C block ${header.number} has uncles or another version than 0, which no table holds.`, {
      details: { path: uncles.length > 0 ? 'block.uncles' : 'block.version', uncles: uncles.length, version },
    })
  const place = {
    network: context.network,
    blockchain_id: context.blockchainId,
    block_number: boundedNumber(header.number, 'block.header.number'),
    block_time: blockTime(header),
  }
  // Lists all fields instead of spreading them: all blocks then have one hidden class, which keeps their readers fast.
  const { block, hash, transactionBytes, transactionHashes } = hashed
  return { block, hash, transactionBytes, transactionHashes, container: opened, place }
}

/** Decodes a block. Errors about an unknown header field or kind of transaction name the block. */
function decodeNamed(block: Uint8Array): HashedCBlock {
  try {
    return decodeCBlock(block, 'block')
  } catch (cause) {
    const number = cBlockNumber(block)
    if (!(cause instanceof DecodeError) || number === null) throw cause
    throw new DecodeError(`C block ${number}: ${cause.message}`, {
      details: { block_number: number, ...cause.details },
      ...(cause.hint === undefined ? {} : { hint: cause.hint }),
      cause,
    })
  }
}

function blockTime(header: CHeader): bigint | null {
  if (header.timestampMilliseconds === null) return timeOf(header.timestamp)
  return timeOfMilliseconds(header.timestampMilliseconds)
}
