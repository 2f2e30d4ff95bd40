import { LockedError } from '../errors.ts'

/** The same error, which says as well what a commit that waited in vain was of. */
export function notCommitted(error: unknown, what: string): unknown {
  if (!isCatalogHeld(error)) return error
  const { message, details, hint = '', retryable, cause } = error
  return new LockedError(message, { details: { 'not committed': what, ...details }, hint, retryable, cause })
}

/** Whether an error says that another process holds the catalog, and nothing else. */
export function isCatalogHeld(error: unknown): error is LockedError {
  return error instanceof LockedError && error.code === 'catalog.locked'
}
