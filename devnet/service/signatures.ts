import { createHash } from 'node:crypto'
import { unwrap } from '../../codec/containers.ts'
import { sha256 } from '../../codec/hash.ts'
import { decodeCb58, idText, txIdInBlock } from '../../codec/ids.ts'
import { bytes, decodeWithSpans, encode, fixed, id, list, struct, u64, versioned } from '../../codec/linear.ts'
import { pBlock, type UnsignedPTx } from '../../codec/p.ts'
import { decodeL1Call, type L1Message, l1Message, unsignedWarpMessage, warpPayload } from '../../codec/warp.ts'
import { createFollower } from '../index/follow.ts'
import type { Dialect } from '../index/methods.ts'
import type { ContainerStore } from '../index/store.ts'
import { chainIds, networkId } from '../network/genesis.ts'
import { ServiceError } from './plumbing/error.ts'
import { type PlainAnswer, plainRoute, type ServiceRoute, totalsOf } from './plumbing/route.ts'
import { text } from './plumbing/rules.ts'

const path = '/v1/signatureAggregator/{network}/aggregateSignatures'
const txHash = text({ read: (given) => (isId(given) ? given : null), says: 'must be the hash of a transaction' })

/** Signatures of the validators (specification 000, 4.1), for a message or for a P-Chain transaction. */
export function signatureRoutes(messages: () => Promise<L1Messages>): ServiceRoute[] {
  return [
    plainRoute({
      path,
      method: 'POST',
      parameters: {},
      cost: 'medium',
      handle: ({ body, settings }) => {
        const { message, justification } = signingRequest(body)
        return answerOf(message ?? removal(justification ?? Buffer.alloc(0)), settings.dialect)
      },
    }),
    plainRoute({
      path: `${path}/{txHash}`,
      parts: { txHash },
      parameters: {},
      cost: 'medium',
      totals: async () => ({ rest_signed_messages: totalsOf(saying(await messages())) }),
      handle: async ({ parts, settings }) => {
        const message = parts.network === 'mainnet' ? undefined : (await messages()).get(parts.txHash)
        if (message === undefined) throw ServiceError.of(404, `Transaction ${parts.txHash} not found`)
        if (message === null) throw ServiceError.of(400, `Transaction ${parts.txHash} has no message about an L1`)
        return answerOf(saidByPChain(message), settings.dialect)
      },
    }),
  ]
}

/** The P-Chain's message that a validator was removed. The justification is the message that registered the validator. */
function removal(justification: Buffer): Uint8Array {
  const validationID = sha256(justification)
  return saidByPChain({ type: 'warp.L1ValidatorRegistration', validationID, registered: false })
}

/** The real service answers with status 201, the specification with 200. */
function answerOf(message: Uint8Array, dialect: Dialect): PlainAnswer {
  return { status: dialect === 'node' ? 201 : 200, body: { signedMessage: signed(message).toString('hex') } }
}

/** The requested signature (specification 000, 4.1). */
type SigningRequest = { readonly message: Buffer | null; readonly justification: Buffer | null }

/**
 * Reads the body of a signature request. Throws `ServiceError` 400 with all mistakes: neither message nor justification, invalid hex, an
 * invalid subnet id, quorums that are not percentages or exceed 100 in sum.
 */
function signingRequest(body: unknown): SigningRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw ServiceError.invalid(['The body must be a JSON object'])
  const fields = body as Readonly<Record<string, unknown>>
  const wrongs: string[] = []
  const hex = (name: string): Buffer | null => {
    const value = fields[name]
    if (value === undefined || value === null || value === '') return null
    const digits = typeof value === 'string' ? value.replace(/^0x/, '') : ''
    if (digits !== '' && digits.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(digits)) return Buffer.from(digits, 'hex')
    wrongs.push(`${name} must be a hexadecimal string`)
    return null
  }
  const whole = (name: string, standard: number, most: number): number => {
    const value = fields[name] ?? standard
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most) return value
    wrongs.push(`${name} must be an integer number from 0 to ${most}`)
    return 0
  }
  const request = { message: hex('message'), justification: hex('justification') }
  const quorum = whole('quorumPercentage', 67, 100)
  const buffer = whole('quorumPercentageBuffer', 0, 100)
  whole('pChainHeight', 0, Number.MAX_SAFE_INTEGER)
  // The current service calls the field signingSubnet.
  for (const name of ['signingSubnetId', 'signingSubnet'])
    if (fields[name] !== undefined && !isSubnetId(fields[name])) wrongs.push(`${name} must be a hex or cb58 subnet id`)
  if (quorum + buffer > 100) wrongs.push('quorumPercentage + quorumPercentageBuffer must be <= 100')
  if (wrongs.length === 0 && request.message === null && request.justification === null)
    wrongs.push('either message or justification must be provided')
  if (wrongs.length > 0) throw ServiceError.invalid(wrongs)
  return request
}

const idBytes = 32

function isSubnetId(value: unknown): boolean {
  if (typeof value !== 'string') return false
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(value)) return true
  return isId(value)
}

/** Whether a text is a CB58 id with a valid checksum. */
function isId(text: string): boolean {
  try {
    return decodeCb58(text).length === idBytes
  } catch {
    return false
  }
}

/** The unsigned message of the P-Chain about a validator of an L1. */
function saidByPChain(message: L1Message): Uint8Array {
  const sourceAddress = new Uint8Array()
  const call = encode(warpPayload, {
    type: 'warp.AddressedCall',
    sourceAddress,
    payload: encode(l1Message, message),
  })
  return encode(unsignedWarpMessage, { networkID: networkId, sourceChainID: chainIds.P, payload: call })
}

const signatureLength = 96

/**
 * An unsigned message with a placeholder signature of the validators: type 0, a bit set of signers and 96 bytes that depend only on the
 * message. It cannot be verified.
 */
function signed(message: Uint8Array): Buffer {
  const digest = createHash('sha512').update('chainlake devnet signature').update(message).digest()
  const signature = Buffer.concat([digest, createHash('sha512').update(digest).digest()]).subarray(0, signatureLength)
  const signers = Buffer.of(0, 0, 0, 1, 0x1f)
  return Buffer.concat([message, Buffer.alloc(4), signers, signature])
}

/** The messages of the P-Chain about validators of L1s, by the transaction that caused them; null for other transactions. */
export type L1Messages = ReadonlyMap<string, L1Message | null>

/** Transactions with a message about an L1, in chain order. */
export function saying(messages: L1Messages): string[] {
  return [...messages].flatMap(([txId, message]) => (message === null ? [] : [txId]))
}

/** Returns the messages of all P-Chain transactions up to the head, by CB58 id. */
export function l1MessagesOf(store: ContainerStore): () => Promise<L1Messages> {
  return createFollower(store, new Map<string, L1Message | null>(), (messages, { bytes, index }) => {
    const { block } = unwrap(bytes)
    const { value, spans } = decodeWithSpans(pBlock, block, `block ${index + 1}`)
    const txs = [...('txs' in value ? value.txs : []), ...('tx' in value ? [value.tx] : [])]
    txs.forEach(({ unsignedTx }, at) => {
      messages.set(idText(txIdInBlock(block.subarray(spans[2 * at], spans[2 * at + 1]))), messageOf(unsignedTx))
    })
  })
}

/** The sha256 of these bytes is the id of a conversion (wire-format.md 1.2). */
const conversionData = versioned(
  struct('SubnetToL1ConversionData', {
    subnetID: id,
    managerChainID: id,
    managerAddress: bytes,
    validators: list(struct('ConversionValidatorData', { nodeID: bytes, blsPublicKey: fixed(48), weight: u64 })),
  }),
)

/** The P-Chain's message after a transaction: about a conversion, a registration, or an accepted weight. */
function messageOf(tx: UnsignedPTx): L1Message | null {
  if (tx.type === 'ConvertSubnetToL1Tx') {
    const validators = tx.validators.map(({ nodeID, signer, weight }) => {
      return { nodeID, blsPublicKey: signer.publicKey, weight }
    })
    const conversion = { subnetID: tx.subnetID, managerChainID: tx.chainID, managerAddress: tx.address, validators }
    return { type: 'warp.SubnetToL1Conversion', id: sha256(encode(conversionData, conversion)) }
  }
  if (tx.type !== 'RegisterL1ValidatorTx' && tx.type !== 'SetL1ValidatorWeightTx') return null
  const { payload, value } = decodeL1Call(tx.message, 'message')
  if (value.type !== 'warp.L1ValidatorWeight')
    return { type: 'warp.L1ValidatorRegistration', validationID: sha256(payload), registered: true }
  if (value.weight > 0n) return value
  return { type: 'warp.L1ValidatorRegistration', validationID: value.validationID, registered: false }
}
