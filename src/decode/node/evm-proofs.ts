import type { NodeEvmProof, nodeEvmProofs } from '../../../schemas/node-evm-proofs.ts'
import type { Page, ReadingContext, Refusal } from '../../define/index.ts'
import { DecodeError, TransportError } from '../../errors.ts'
import {
  address,
  bytesList,
  createKind,
  type Fields,
  hash,
  objects,
  quantityText,
  topFields,
  u64,
  u256,
  unknownFields,
} from '../evm/fields.ts'
import { decimalOrNull } from '../numbers.ts'
import { otherThanRequested } from './encoded-bytes.ts'

type ProofPage = Page<{ proofs: typeof nodeEvmProofs }>

/** A requested account and its storage slots, at a block. */
type RequestedProof = {
  readonly network: string
  readonly chainId: string
  /** In lower case. */
  readonly address: string
  readonly slots: readonly string[]
  readonly block: { readonly number: number; readonly hash: string; readonly time: bigint | null }
}

/** Reads an account with its proofs (eth_getProof, specification 4.2). Throws `DecodeError` for another account or other slots. */
export function decodeProof(requested: RequestedProof) {
  return (answer: unknown, context: ReadingContext): ProofPage => {
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
      throw new DecodeError('The answer to eth_getProof is no object.', { code: 'decode.field' })
    const kind = createKind('')
    const at = topFields(answer as Fields['object'], kind)
    const row = proofRow(at, requested)
    for (const path of unknownFields(at)) context.unknownField(path)
    if (row.address !== requested.address) throw otherThanRequested('account', requested.address, row.address)
    const slots = row.storage_proofs.map(({ slot }) => BigInt(slot))
    if (slots.length !== requested.slots.length || requested.slots.some((slot, i) => BigInt(slot) !== slots[i]))
      throw otherThanRequested(
        'list of slots',
        requested.slots.join(', '),
        row.storage_proofs.map(({ slot }) => slot).join(', '),
      )
    return { rows: { proofs: [row] }, items: [], next: null }
  }
}

/** Messages of nodes that have pruned the state of a block or never had it. */
const stateGone = /missing trie node|state .*not available|unfinalized data|oldest allowed block/

/** Throws `TransportError` if the node does not keep the state of the block. The error has the node's message and a hint. */
export function proofRefused({ block }: Pick<RequestedProof, 'block'>) {
  return ({ code, message }: Refusal): null => {
    if (!stateGone.test(message)) return null
    throw new TransportError(`The node has no state of block ${block.number} to prove anything with: ${message}`, {
      code: 'evm.no-state',
      retryable: false,
      details: { method: 'eth_getProof', block: block.number, 'error code': code },
      hint: 'Name a newer block. A pruning node keeps the state of 32 blocks. An archive node proves blocks of the last 24 hours (historical-proof-query-window).',
    })
  }
}

function proofRow(at: Fields, { network, chainId, block }: RequestedProof): NodeEvmProof {
  const balance = u256(at, 'balance')
  return {
    network,
    chain_id: chainId,
    address: address(at, 'address'),
    block_number: block.number,
    block_hash: block.hash,
    block_time: block.time,
    balance: decimalOrNull(balance),
    balance_raw: balance.toString(),
    nonce: u64(at, 'nonce'),
    code_hash: hash(at, 'codeHash'),
    storage_hash: hash(at, 'storageHash'),
    account_proof: bytesList(at, 'accountProof'),
    storage_proofs: objects(at, 'storageProof').map((proof) => ({
      slot: quantityText(proof, 'key'),
      slot_value: quantityText(proof, 'value'),
      proof: bytesList(proof, 'proof'),
    })),
  }
}
