import { createHash } from 'node:crypto'
import type { RestSignedMessage } from '../../schemas/rest-signed-messages.ts'

/** The columns of a row that come from the request. */
type SignatureRequest = Omit<RestSignedMessage, 'signed_message' | 'observed_at'>

/** A request with a message, a justification or both (specification 4.1), as in the job. */
export type Aggregation = {
  readonly message: string | undefined
  readonly justification: string | undefined
  readonly signingSubnetId: string | undefined
  readonly quorumPercentage: number
  readonly quorumPercentageBuffer: number
  /** 0: the proposed height. */
  readonly pChainHeight: number
}

/** The request for the message of a transaction, as columns of its row. */
export function byTransaction(network: string, txHash: string): SignatureRequest {
  return {
    network,
    request_hash: requestHash({ network, method: 'GET', txHash }),
    tx_id: txHash,
    message: null,
    justification: null,
    signing_subnet_id: null,
    quorum_percentage: null,
    quorum_percentage_buffer: null,
    p_chain_height: null,
  }
}

/** The request with a message or justification, as columns of its row. Texts that differ only in `0x` or case are equal. */
export function byMessage(network: string, requested: Aggregation): SignatureRequest {
  const content = {
    message: prefixedHex(requested.message),
    justification: prefixedHex(requested.justification),
    signingSubnetId: subnetId(requested.signingSubnetId),
    quorumPercentage: requested.quorumPercentage,
    quorumPercentageBuffer: requested.quorumPercentageBuffer,
    pChainHeight: requested.pChainHeight === 0 ? null : requested.pChainHeight,
  }
  return {
    network,
    request_hash: requestHash({ network, method: 'POST', ...content }),
    tx_id: null,
    message: content.message,
    justification: content.justification,
    signing_subnet_id: content.signingSubnetId,
    quorum_percentage: content.quorumPercentage,
    quorum_percentage_buffer: content.quorumPercentageBuffer,
    p_chain_height: content.pChainHeight,
  }
}

/** The body of the request. It has the signing subnet under each name in the profile. */
export function bodyOf(request: SignatureRequest, signingSubnetFields: readonly string[]): object {
  return {
    ...(request.message === null ? {} : { message: request.message }),
    ...(request.justification === null ? {} : { justification: request.justification }),
    ...(request.signing_subnet_id === null
      ? {}
      : Object.fromEntries(signingSubnetFields.map((field) => [field, request.signing_subnet_id]))),
    quorumPercentage: request.quorum_percentage,
    quorumPercentageBuffer: request.quorum_percentage_buffer,
    ...(request.p_chain_height === null ? {} : { pChainHeight: request.p_chain_height }),
  }
}

/** SHA-256 of the canonical JSON of the request: names sorted, without fields that profiles may rename. */
function requestHash(content: Readonly<Record<string, string | number | null>>): string {
  const sorted = Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1))
  return `0x${createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(sorted)))
    .digest('hex')}`
}

function prefixedHex(text: string | undefined): string | null {
  return text === undefined ? null : `0x${text.toLowerCase().replace(/^0x/, '')}`
}

/** CB58 text unchanged, 32 bytes of hexadecimal digits in canonical form. */
function subnetId(text: string | undefined): string | null {
  if (text === undefined) return null
  return /^(0x)?[0-9a-f]{64}$/i.test(text) ? prefixedHex(text) : text
}
