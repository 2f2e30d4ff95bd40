import { configErrors } from './config-errors.ts'
import type { ErrorFacts } from './error-fact.ts'
import { lakeErrors } from './lake-errors.ts'
import { queryErrors } from './query-errors.ts'
import { sourceErrors } from './source-errors.ts'
import { storageErrors } from './storage-errors.ts'

/** The error codes by what they are about, in the order of the reference. */
export const errorSections: readonly (readonly [title: string, errors: ErrorFacts])[] = [
  ['Settings', configErrors],
  ['Queries and own pipelines', queryErrors],
  ['Nodes and services', sourceErrors],
  ['The lake, its catalog and workers', lakeErrors],
  ['Disks, buckets and damaged data', storageErrors],
]

/** Every code that an error of chainlake can have, with its exit code, cause and remedy. */
export const errorCodes: ErrorFacts = Object.assign({}, ...errorSections.map(([, errors]) => errors))
