import { ofOtherHeaders } from '../../model.ts'
import type { RunEvent } from '../job/events.ts'

/** The fields of answers that no column holds. */
export type UnknownFields = {
  /** In how many answers or records each field was seen. */
  readonly add: (seen: Readonly<Record<string, number>>) => void
  /** Warns of the fields that no warning has named yet, in one sentence; its details say how often each was seen. */
  readonly warn: (emit: (event: RunEvent) => void) => void
}

/** Counts unknown fields of a job. */
export function createUnknownFields(job: string): UnknownFields {
  const counts = new Map<string, number>()
  const named = new Set<string>()
  return {
    add(seen) {
      for (const [path, times] of Object.entries(seen)) counts.set(path, (counts.get(path) ?? 0) + times)
    },
    warn(emit) {
      const fresh = [...counts.keys()].filter((name) => !named.has(name)).sort()
      for (const name of fresh) named.add(name)
      const times = (names: readonly string[]) => names.map((name) => `${nameOf(name)} ${counts.get(name)}`).join(', ')
      const contradictions = fresh.filter((name) => name.startsWith(ofOtherHeaders))
      if (contradictions.length > 0)
        emit({
          kind: 'warning',
          message: `Blocks of ${job} have headers in a shape that chainlake does not know, which may mean something else: ${contradictions.map(nameOf).join('; ')}. The rows hold what the node states.`,
          details: { times: times(contradictions) },
          once: true,
        })
      const names = fresh.filter((name) => !name.startsWith(ofOtherHeaders))
      if (names.length === 0) return
      const [what, stored] = names.length === 1 ? ['a field', 'It is'] : ['fields', 'They are']
      emit({
        kind: 'warning',
        message: `Responses for ${job} contain ${what} that chainlake does not know: ${names.join(', ')}. ${stored} stored in no column.`,
        details: { times: times(names) },
        once: true,
      })
    },
  }
}

function nameOf(name: string): string {
  return name.startsWith(ofOtherHeaders) ? name.slice(ofOtherHeaders.length) : name
}
