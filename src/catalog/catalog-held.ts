import { LockedError } from '../errors.ts'

/** Adds the description of a commit to the error that another process held the catalog. Returns other errors unchanged. */
export function notCommitted(error: unknown, what: string): unknown {
  if (!isCatalogHeld(error)) return error
  const { message, details, hint = '', retryable, cause } = error
  return new LockedError(message, { details: { 'not committed': what, ...details }, hint, retryable, cause })
}

/** Whether an error means only that another process holds the lock of the catalog. */
export function isCatalogHeld(error: unknown): error is LockedError {
  return error instanceof LockedError && error.code === 'catalog.locked'
}
