import { parse } from 'lossless-json'

/** JSON text as values; throws `SyntaxError`. Integers beyond 2^53 − 1 become `bigint`, all other numbers `number`. */
export function parseLosslessJson(text: string): unknown {
  return parse(text, null, exactNumber)
}

/** JSON text as values by the engine's own parser: fast, but only for answers that hold no large bare integer. */
export function parseFastJson(text: string): unknown {
  return JSON.parse(text)
}

function exactNumber(digits: string): number | bigint {
  const value = Number(digits)
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(digits) ? value : BigInt(digits)
}
