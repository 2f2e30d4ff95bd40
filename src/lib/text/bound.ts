const units: Readonly<Record<string, number>> = { '': 1, k: 1e3, K: 1e3, M: 1e6, B: 1e9 }

/**
 * The whole number of a text such as `1000000`, `1_000_000`, `12M` (million), `1.5k` or `2B` (billion); negative with a minus. Null for any
 * other text, and for a number that is not whole or that a number does not hold exactly.
 */
export function boundOf(text: string): number | null {
  const [, minus, whole = '', decimals = '', unit = ''] = /^(-?)(\d+(?:_\d+)*)(?:\.(\d+))?([kKMB]?)$/.exec(text) ?? []
  if (whole === '') return null
  // Exact: the digits as one whole number, then shifted.
  const digits = BigInt(whole.replaceAll('_', '') + decimals) * BigInt(units[unit] ?? 1)
  const shift = 10n ** BigInt(decimals.length)
  const value = Number(digits / shift)
  if (digits % shift !== 0n || !Number.isSafeInteger(value) || (minus === '-' && value === 0)) return null
  return minus === '-' ? -value : value
}

/** The bounds of a text such as `A:B`, `A:` or `:B`; null for any other text. */
export function rangeOf(text: string): { readonly from?: number; readonly to?: number } | null {
  const [from = '', to, more] = text.split(':')
  if (to === undefined || more !== undefined || (from === '' && to === '')) return null
  const [first, end] = [from, to].map((bound) => (bound === '' ? undefined : boundOf(bound)))
  if (first === null || end === null) return null
  return { ...(first === undefined ? {} : { from: first }), ...(end === undefined ? {} : { to: end }) }
}
