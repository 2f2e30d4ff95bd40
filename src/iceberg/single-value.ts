/**
 * A value as bytes, by the single-value serialization of the Iceberg specification (Appendix D). `type` is Iceberg's type, and `text` is
 * the value in DuckLake's statistics. Null for a text that is not such a value, and for types without bounds. A missing bound prunes
 * nothing, but a wrong one hides rows.
 */
export function singleValue(type: string, text: string): Buffer | null {
  switch (type) {
    case 'string':
      return Buffer.from(text, 'utf8')
    case 'binary':
      return /^([0-9A-Fa-f]{2})*$/.test(text) ? Buffer.from(text, 'hex') : null
    case 'boolean':
      return text === '0' || text === '1' ? Buffer.from([Number(text)]) : null
    case 'long':
      return whole(text, longBytes)
    case 'timestamptz': {
      const time = microseconds(text)
      return time === null ? null : longBytes(time)
    }
  }
  const [, precision, scale] = /^decimal\((\d+), (\d+)\)$/.exec(type) ?? []
  // DuckLake writes decimals that have decimal places with a point. A lake has none.
  if (precision === undefined || scale !== '0') return null
  const limit = 10n ** BigInt(precision)
  return whole(text, (value) => (-limit < value && value < limit ? shortestBytes(value) : null))
}

function whole(text: string, bytesOf: (value: bigint) => Buffer | null): Buffer | null {
  return /^-?\d+$/.test(text) ? bytesOf(BigInt(text)) : null
}

function longBytes(value: bigint): Buffer | null {
  if (BigInt.asIntN(64, value) !== value) return null
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(value)
  return bytes
}

/** Two's complement, big-endian, in the fewest bytes that hold the sign. */
function shortestBytes(value: bigint): Buffer {
  let length = 1
  while (BigInt.asIntN(8 * length, value) !== value) length++
  const hex = BigInt.asUintN(8 * length, value).toString(16)
  return Buffer.from(hex.padStart(2 * length, '0'), 'hex')
}

/** Microseconds since 1970 UTC of `2024-01-15 12:30:00.123456+00`; null for years that have more than four digits or are before Christ. */
function microseconds(text: string): bigint | null {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00(?::00)?$/.exec(text)
  if (match === null) return null
  const [, date, time, fraction = ''] = match
  const milliseconds = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(milliseconds)) return null
  return BigInt(milliseconds) * 1000n + BigInt(fraction.padEnd(6, '0'))
}
