import { isAscii, isUtf8 } from 'node:buffer'
import { ConfigError } from '../errors.ts'

/** The value of `--location` as a URI, without the slashes at its end. Throws `ConfigError`. */
export function parseLocationUri(text: string): string {
  const location = text.replace(/\/+$/, '')
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]*[^\s]*$/i.test(text) || location.endsWith(':'))
    throw new ConfigError(`--location must be a URI or an absolute path, not ${JSON.stringify(text)}.`, {
      code: 'config.location',
      hint: 'Give the location of the lake folder for readers, such as s3://bucket/lake or /srv/lake.',
    })
  if (isDoubtful(location))
    throw new ConfigError(`--location has ${doubtful}.`, {
      code: 'config.location',
      details: { location },
      hint: 'Give a location without them.',
    })
  return location
}

/** Some readers decode characters that others take literally, and some end a path at a question mark or a number sign. */
export function isDoubtful(uri: string): boolean {
  return /[?#%*[\]\n]/.test(uri)
}

/** What is wrong with a doubtful URI, for messages. */
export const doubtful = 'characters that readers do not agree on: one of ? # % * [ ]'

/**
 * Refuses a URL where a folder of this machine belongs: as a path, `s3://bucket/lake` would be a folder `s3:` in the working directory. A URL
 * may contain a password, so the message shows only its scheme.
 */
export function refuseUrl(
  source: string,
  text: string,
  { code, hint }: { readonly code: string; readonly hint?: string } = { code: 'config.value' },
): void {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0].toLowerCase()
  if (scheme === undefined) return
  throw new ConfigError(`${source} must be a folder, not a URL (${scheme}…).`, {
    code,
    hint: hint ?? urlHints[scheme] ?? 'Give the path of a folder on this machine.',
  })
}

const urlHints: Readonly<Record<string, string>> = {
  'file://': 'Write the path without file://.',
  's3://': 'Give a folder on this machine. Only the data files of a new lake can be in S3: --data s3://bucket/prefix.',
}

/** A whole number with thousands separators: `1234567` → `1,234,567`. The engine's own formats take as long to load as ten of our files. */
export function countText(value: number | bigint): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** A number with what it counts, such as `1 row` or `1,200 rows`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`
}

/** The first of many names, such as `a, b and 3 more`. A single one more is named, too. */
export function namesText(names: readonly string[], most: number): string {
  if (names.length <= most + 1) return names.join(', ')
  return `${names.slice(0, most).join(', ')} and ${countText(names.length - most)} more`
}

/** Seconds as readable text: `4.2 s`, `3 min 05 s`, `2 h 10 min`, `3 d 4 h`. */
export function durationText(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const two = (value: number): string => String(value).padStart(2, '0')
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`
  const hours = Math.round(seconds / 3600)
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** Bytes in powers of 1000: `12.3 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  let value = bytes
  let unit = 0
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return unit === 0 ? `${bytes} B` : `${value.toFixed(1)} ${units[unit]}`
}

/**
 * Characters that a terminal obeys instead of showing them: control characters (also those of eight bits) except tab and line feed, and
 * marks that change the direction of text.
 */
const commands = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** Makes text from any source safe for a terminal: it writes each character that is a command as an escape such as `\u001b`. */
export function visibleText(text: string): string {
  return text.replace(commands, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A part of a URL without its percent-encoding; the same text where it is not encoded well. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Quotes a text as one word of a shell, for a command that a person copies. */
export function shellText(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** Text as an SQL literal. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A name as a quoted SQL identifier. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

const loneSurrogate = /\p{Surrogate}/u

/** Whether a text has no lone surrogate. A lone surrogate has no bytes in UTF-8, and an encoder would replace it. */
export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text)
}

const mark = Symbol('written')

/** A number that is neither a safe integer nor what a `number` holds without rounding, as it was written. */
type WrittenNumber = { readonly [mark]: string; readonly toString: () => string; readonly toJSON: () => string }

export function writtenNumber(text: string): WrittenNumber {
  return { [mark]: text, toString: () => text, toJSON: () => text }
}

export function isWrittenNumber(value: unknown): value is WrittenNumber {
  return typeof value === 'object' && value !== null && mark in value
}

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
