import { hash } from 'node:crypto'
import type { AnswerKind } from './subject.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * The work that every export must do with a parsed answer before it has rows: it decodes hexadecimal text where columns hold bytes, and
 * hashes each container once, because the hash is its id. Returns the number of decoded bytes.
 */
export const takeBytes: Readonly<Record<AnswerKind, (answer: unknown) => number>> = {
  containers(answer) {
    const { containers } = (answer as { result: { containers: readonly Json[] } }).result
    let length = 0
    for (const container of containers) {
      const bytes = bytesOf(container['bytes'])
      hash('sha256', bytes, 'buffer')
      length += bytes.length
    }
    return length
  },
  evmBlocks(answer) {
    let length = 0
    const take = (text: unknown) => {
      length += bytesOf(text).length
    }
    for (const { result } of answer as readonly { result: Json | readonly Json[] }[]) {
      if (isList(result)) for (const receipt of result) for (const log of receipt['logs'] as Json[]) take(log['data'])
      else {
        for (const field of ['logsBloom', 'extraData', 'blockExtraData']) take(result[field])
        for (const transaction of result['transactions'] as Json[]) take(transaction['input'])
      }
    }
    return length
  },
  cells(answer) {
    let length = 0
    // Headers, balances and other quantities hold no bytes.
    for (const { result } of answer as readonly { result: unknown }[])
      if (typeof result === 'string' && result.length >= 66) length += bytesOf(result).length
    return length
  },
  // Hexadecimal values of lists stay text.
  pages: () => 0,
}

function isList(result: Json | readonly Json[]): result is readonly Json[] {
  return Array.isArray(result)
}

function bytesOf(hex: unknown): Buffer {
  return Buffer.from(String(hex).slice(2), 'hex')
}
