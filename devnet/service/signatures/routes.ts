import { sha256 } from '../../../codec/hash.ts'
import type { Dialect } from '../../index/methods.ts'
import { type PlainAnswer, plainRoute, ServiceError, type ServiceRoute, text, totalsOf } from '../plumbing/index.ts'
import { isId, signingRequest } from './body.ts'
import { type L1Messages, saying } from './l1-messages.ts'
import { saidByPChain, signed } from './sign.ts'

const path = '/v1/signatureAggregator/{network}/aggregateSignatures'
const txHash = text(
  { read: (given) => (isId(given) ? given : null), says: 'must be the hash of a transaction' },
  { required: true },
)

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
