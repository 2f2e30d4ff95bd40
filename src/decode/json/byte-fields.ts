import { optionalText, pathOf, type Reading, wrong } from './fields.ts'

const hex = /^(?:0x)?((?:[0-9a-f]{2})*)$/i

/** The bytes of a hex text, with or without 0x; null when it is missing. Throws `DecodeError` for any other text. */
export function optionalBytes(at: Reading, name: string): Uint8Array | null {
  const text = optionalText(at, name)
  if (text === null) return null
  const digits = hex.exec(text)?.[1]
  if (digits === undefined) throw wrong(pathOf(at, name), 'is no hexadecimal text', text)
  return Buffer.from(digits, 'hex')
}

/** A memo: the bytes of a 0x text, else the text's own as UTF-8, since services show memos both ways. */
export function optionalMemo(at: Reading, name: string): Uint8Array | null {
  const text = optionalText(at, name)
  if (text === null) return null
  const digits = text.startsWith('0x') ? hex.exec(text)?.[1] : undefined
  return digits === undefined ? Buffer.from(text) : Buffer.from(digits, 'hex')
}
