import { isWellFormed } from '../../lib/text/well-formed.ts'
import { optionalText, pathOf, type Reading, wrong } from './fields.ts'

const hex = /^(?:0x)?((?:[0-9a-f]{2})*)$/i

/** Returns the bytes of a hex text, with or without 0x; null if the field is missing. Throws `DecodeError` for any other text. */
export function optionalBytes(at: Reading, name: string): Uint8Array | null {
  const text = optionalText(at, name)
  if (text === null) return null
  const digits = hex.exec(text)?.[1]
  if (digits === undefined) throw wrong(pathOf(at, name), 'is no hexadecimal text', text)
  return Buffer.from(digits, 'hex')
}

/**
 * Returns the bytes of a memo. Services write memos as 0x text or as plain text, which is read as UTF-8. Throws `DecodeError` for a text
 * without UTF-8 bytes, which the encoder would replace.
 */
export function optionalMemo(at: Reading, name: string): Uint8Array | null {
  const text = optionalText(at, name)
  if (text === null) return null
  const digits = text.startsWith('0x') ? hex.exec(text)?.[1] : undefined
  if (digits !== undefined) return Buffer.from(digits, 'hex')
  if (!isWellFormed(text)) throw wrong(pathOf(at, name), 'is no well-formed Unicode', text)
  return Buffer.from(text)
}
