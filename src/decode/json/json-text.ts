import { isWrittenNumber } from '../../lib/text/written-number.ts'

/** Returns the JSON text of a parsed answer. Whole numbers are exact: `bigint` values are written digit by digit. */
export function jsonText(value: unknown): string {
  if (typeof value === 'bigint' || isWrittenNumber(value)) return value.toString()
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`)
  return `{${members.join(',')}}`
}
