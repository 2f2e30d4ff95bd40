import { configErrors } from './config-errors.ts'
import type { ErrorFacts } from './error-fact.ts'
import { lakeErrors } from './lake-errors.ts'
import { queryErrors } from './query-errors.ts'
import { sourceErrors } from './source-errors.ts'
import { storageErrors } from './storage-errors.ts'

/** Every code that an error of chainlake can have, with its exit code, cause and remedy. */
export const errorCodes: ErrorFacts = {
  ...configErrors,
  ...queryErrors,
  ...sourceErrors,
  ...lakeErrors,
  ...storageErrors,
}
