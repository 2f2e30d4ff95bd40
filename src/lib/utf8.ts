import { isAscii, isUtf8 } from 'node:buffer'

/**
 * The text of bytes in UTF-8, without a byte order mark. Throws `TypeError` for other bytes: a decoder would replace them, and the text would
 * look undamaged. Most answers are ASCII, and copying ASCII is several times faster than decoding UTF-8.
 */
export function utf8Text(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (isUtf8(bytes)) return withoutMark(bytes.toString())
  throw new TypeError('its bytes are not UTF-8')
}

/** A text without the byte order mark that some editors and servers write first. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}
