import { parse } from 'lossless-json'

/** No answer has a reason to be nested so deep; the recursion of parsers and writers ends at twice as much. */
const mostLevels = 1_000

const quote = 0x22
const dot = 0x2e
const zero = 0x30
const nine = 0x39
const backslash = 0x5c
const openBracket = 0x5b
const openBrace = 0x7b
const closeBracket = 0x5d
const closeBrace = 0x7d

/** JSON that is nested deeper than its readers could follow: no damage on the way, so the same answer would come again. */
export class NestingError extends RangeError {}

/**
 * JSON text as values; throws `SyntaxError`, and `NestingError` for more than 1,000 levels. Integers beyond 2^53 − 1 become
 * `bigint`, all other numbers `number`.
 */
export function parseLosslessJson(text: string): unknown {
  refuseDeep(text)
  return parse(text, null, exactNumber)
}

/** The same by the engine's own parser: fast, but only for answers that hold no large bare integer. */
export function parseFastJson(text: string): unknown {
  refuseDeep(text)
  return JSON.parse(text)
}

/**
 * As `parseLosslessJson`, but by the engine's own parser where the text holds no integer that needs more: answers of services and of EVM
 * nodes, whose large numbers are texts.
 */
export function parseExactJson(text: string): unknown {
  return refuseDeep(text) > exactDigits ? parse(text, null, exactNumber) : JSON.parse(text)
}

/** So many digits are always exact. */
const exactDigits = 15
/** Below what digits can lift above zero: those of a fraction, which no integer has, are not counted. */
const inFraction = -(2 ** 30)

/**
 * Counts brackets outside of strings: it costs little beside parsing, and stops before anything was made of the text. Gives the
 * length of the longest run of digits outside of strings and of fractions.
 */
function refuseDeep(text: string): number {
  let level = 0
  let digits = 0
  let longest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    digits = code >= zero && code <= nine ? digits + 1 : code === dot ? inFraction : 0
    if (digits > longest) longest = digits
    switch (code) {
      case quote:
        at = endOfString(text, at)
        break
      case openBracket:
      case openBrace:
        if (++level > mostLevels)
          throw new NestingError(`its JSON is nested deeper than ${mostLevels.toLocaleString('en-US')} levels`)
        break
      case closeBracket:
      case closeBrace:
        level--
    }
  }
  return longest
}

/** Position of the quote that ends a string; the end of a text that was cut off. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}

function exactNumber(digits: string): number | bigint {
  const value = Number(digits)
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(digits) ? value : BigInt(digits)
}
