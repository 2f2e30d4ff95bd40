import type { Catalog } from '../../src/catalog/catalog.ts'
import { CatalogUnreachableError, TransportError } from '../../src/errors.ts'
import type { Lookup } from '../../src/lookup/lookup.ts'

/**
 * Which call of a run to the catalog and to the files of the lake fails (from 1), and whether the call takes effect before it fails. With
 * `name`, only calls of this name count. `as`: the kind of failure; default a different kind for each call.
 */
export type Breaking = {
  readonly call: number
  readonly when: 'before' | 'after'
  readonly name?: string
  readonly as?: Failure
}

export type Breaker = {
  readonly catalog: (catalog: Catalog) => Catalog
  readonly lookup: (lookup: Lookup) => Lookup
  /** A call that fails after a commit has taken place, such as publishing on a full disk. */
  readonly afterCommit: () => Promise<void>
  /** The name of the call that failed; null if there were fewer calls. */
  readonly broken: () => string | null
}

const changing = ['commit', 'stage', 'openObservation', 'restartObservation'] as const
const reading = ['coverage', 'coverages', 'stretches', 'observationIds', 'tableFiles'] as const

/** No failure may lose rows, even one that looks like a failure of the source. */
const failures = {
  catalog: () => new CatalogUnreachableError('The connection broke.'),
  source: () => new TransportError('Something that was taken for a source broke.'),
  unknown: () => new Error('Something else broke.'),
}
type Failure = keyof typeof failures
const kinds = Object.keys(failures) as Failure[]

/**
 * Counts the calls of a run to the catalog and to the files of the lake, and makes one of them fail. A failed read has no effect in any
 * case.
 */
export function createBreaker({ call, when, name: only, as: kind = kinds[call % kinds.length]! }: Breaking): Breaker {
  let calls = 0
  let broken: string | null = null
  const fail = (name: string): never => {
    broken = name
    throw failures[kind]()
  }
  const breaking =
    <A extends unknown[], R>(name: string, work: (...args: A) => Promise<R>, isChange: boolean) =>
    async (...args: A): Promise<R> => {
      if ((!isChange && when === 'after') || (only !== undefined && only !== name)) return work(...args)
      const isBroken = ++calls === call
      if (isBroken && when === 'before') fail(name)
      const result = await work(...args)
      return isBroken ? fail(name) : result
    }
  const wrapped = <T extends object>(of: T, names: readonly (keyof T & string)[], isChange: boolean) =>
    Object.fromEntries(names.map((name) => [name, breaking(name, of[name] as () => Promise<unknown>, isChange)]))
  return {
    catalog: (catalog) => ({ ...catalog, ...wrapped(catalog, changing, true), ...wrapped(catalog, reading, false) }),
    lookup: (lookup) => ({
      ...lookup,
      ...wrapped(lookup, ['findRows', 'newRows', 'firstHeld'], false),
      async *changedRows(options) {
        await breaking('changedRows', async () => undefined, false)()
        yield* lookup.changedRows(options)
      },
    }),
    afterCommit: breaking('afterCommit', async () => undefined, true),
    broken: () => broken,
  }
}
