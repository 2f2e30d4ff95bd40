import type { Container } from '../model.ts'

/** Facts that errors about a container carry. */
export function containerFacts(container: Container): { container: string; index: number } {
  return { container: container.id, index: container.index }
}

/** When the indexing node accepted a container, in the two forms that tables keep. */
export function acceptedColumns(container: Container): { accepted_at: bigint; accepted_at_ns: bigint } {
  return { accepted_at: container.acceptedAtNs / 1000n, accepted_at_ns: container.acceptedAtNs }
}
