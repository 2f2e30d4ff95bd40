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
      const names = [...counts.keys()].filter((name) => !named.has(name)).sort()
      for (const name of names) named.add(name)
      if (names.length === 0) return
      const [what, stored] = names.length === 1 ? ['a field', 'It is'] : ['fields', 'They are']
      emit({
        kind: 'warning',
        message: `Responses for ${job} contain ${what} that chainlake does not know: ${names.join(', ')}. ${stored} stored in no column.`,
        details: { times: names.map((name) => `${name} ${counts.get(name)}`).join(', ') },
        once: true,
      })
    },
  }
}
