import { parse } from 'lossless-json'
import { countText, writtenNumber } from './text.ts'

/** The deepest nesting that a text may have. No answer needs more, and the recursion of parsers and writers fails at twice this depth. */
const mostLevels = 1_000

const quote = 0x22
const dot = 0x2e
const zero = 0x30
const nine = 0x39
const exponent = 0x65
const backslash = 0x5c
const openBracket = 0x5b
const openBrace = 0x7b
const closeBracket = 0x5d
const closeBrace = 0x7d

/** JSON that is nested deeper than its readers can follow. A retry would get the same answer: it was not damaged on the way. */
export class NestingError extends RangeError {}

/**
 * Parses JSON text. Integers beyond 2^53 − 1 become `bigint`, all other numbers `number`. Throws `SyntaxError`, and `NestingError` for more
 * than 1,000 levels.
 */
export function parseLosslessJson(text: string): unknown {
  refuseDeep(text)
  return parse(text, null, exactNumber)
}

/**
 * Like `parseLosslessJson`, but with the engine's own parser if the text holds no large bare integer. Answers of services and of EVM nodes
 * write large numbers as texts.
 */
export function parseExactJson(text: string): unknown {
  return refuseDeep(text) > exactDigits ? parse(text, null, exactNumber) : JSON.parse(text)
}

/** Like `parseExactJson`, but other numbers that a `number` would round become `WrittenNumber`. */
export function parseWrittenJson(text: string): unknown {
  refuseDeep(text)
  return hasLongNumber(text) ? parse(text, null, writtenOrExact) : JSON.parse(text)
}

/** An integer with this many digits is always exact. */
const exactDigits = 15
/** The digit count at the beginning of a fraction. It is so low that the digits of a fraction never count as those of an integer. */
const inFraction = -(2 ** 30)

/**
 * Counts brackets outside strings. This costs little compared with parsing, and stops before a parser creates any value. Returns the length
 * of the longest run of digits outside strings and fractions.
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
          throw new NestingError(`its JSON is nested deeper than ${countText(mostLevels)} levels`)
        break
      case closeBracket:
      case closeBrace:
        level--
    }
  }
  return longest
}

/** Position of the quote that ends a string, or the end of a text that was cut off. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}

/** Whether a number outside strings has so many characters, or an exponent, that a `number` may round it. */
function hasLongNumber(text: string): boolean {
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    const isPart = (code >= zero && code <= nine) || code === dot
    const isExponent = (code | 0x20) === exponent && length > 0
    length = isPart ? length + 1 : 0
    if (length > exactDigits || isExponent) return true
  }
  return false
}

function writtenOrExact(digits: string) {
  const value = exactNumber(digits)
  return typeof value === 'bigint' || significant(String(value)) === significant(digits) ? value : writtenNumber(digits)
}

/** The digits of a number without zeros at its ends: two texts of one `number` are equal if these are. */
function significant(text: string): string {
  return text
    .replace(/e.*/i, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '')
}

function exactNumber(digits: string): number | bigint {
  const value = Number(digits)
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(digits) ? value : BigInt(digits)
}

/** Whether a value of JSON is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The field of an object; undefined if it is missing, or the value is no object. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}
