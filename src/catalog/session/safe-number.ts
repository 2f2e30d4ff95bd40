import { CatalogError } from '../../errors.ts'
import { restoreHint } from './restore-hint.ts'

/** Converts an integer of the catalog to a number. Throws if it is not exact. */
export function safeNumber(value: bigint | string, column: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new CatalogError(`The catalog holds a number that is out of range in ${column}.`, {
      code: 'catalog.unreadable',
      details: { value },
      hint: restoreHint,
    })
  return number
}
