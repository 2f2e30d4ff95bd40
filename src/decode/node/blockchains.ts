import type { NodeBlockchain } from '../../../schemas/node-blockchains.ts'
import type { ReadingContext } from '../../define/index.ts'
import { answerObject, finish, objects, type Reading } from '../json/fields.ts'
import { id, text, word } from '../json/value-fields.ts'
import type { NodePlace } from './place.ts'

/**
 * Reads the blockchains that a node lists (platform.getBlockchains, specification 4.3: all except the P-Chain). Their status needs further
 * requests.
 */
export function readBlockchains(answer: unknown, context: ReadingContext, place: NodePlace): NodeBlockchain[] {
  const at = answerObject(answer, 'answer', context)
  const rows = objects(at, 'blockchains', (chain) => listedRow(chain, place))
  finish(at)
  return rows
}

function listedRow(at: Reading, place: NodePlace): NodeBlockchain {
  return {
    ...blockchainRow(id(at, 'id'), at.context, place),
    blockchain_name: text(at, 'name'),
    subnet_id: id(at, 'subnetID'),
    vm_id: word(at, 'vmID'),
  }
}

/** Returns the row of a chain that the node does not list. */
export function blockchainRow(blockchainId: string, context: ReadingContext, place: NodePlace): NodeBlockchain {
  return {
    network: place.network,
    blockchain_id: blockchainId,
    subject: place.subject,
    observation_id: context.observationId,
    observed_at: context.observedAt,
    blockchain_name: null,
    subnet_id: null,
    vm_id: null,
    blockchain_status: null,
  }
}

/** Reads the status of a blockchain (platform.getBlockchainStatus). */
export function readBlockchainStatus(answer: unknown, context: ReadingContext): string {
  const at = answerObject(answer, 'answer', context)
  const status = word(at, 'status')
  finish(at)
  return status
}
