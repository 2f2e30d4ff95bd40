import type { RestSignedMessage, restSignedMessages } from '../../../schemas/rest-signed-messages.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { answerObject, finish, wrong } from '../json/fields.ts'
import { hex } from '../json/text-fields.ts'

/** The columns of a row that come from the request. */
export type SignatureRequest = Omit<RestSignedMessage, 'signed_message' | 'observed_at'>

/**
 * Reads an answer of the signature aggregator (specification 4.1): hexadecimal text that begins with the message of the request. The row
 * stores it with `0x`.
 */
export function decodeSignedMessage(request: SignatureRequest) {
  return (answer: unknown, context: ReadingContext): Page<{ messages: typeof restSignedMessages }> => {
    const at = answerObject(answer, 'answer', context)
    const signed = hex(at, 'signedMessage')
    finish(at)
    const signed_message = signed.startsWith('0x') ? signed : `0x${signed}`
    if (!signed_message.startsWith(request.message ?? ''))
      throw wrong('signedMessage', 'is not the signed form of the message that was sent', signed_message)
    return {
      rows: { messages: [{ ...request, signed_message, observed_at: context.observedAt }] },
      items: [{ key: request.request_hash, time: null }],
      next: null,
    }
  }
}
