import type { Connection } from '../../define/connection.ts'
import type { Endpoint, Range, StreamDeclaration } from '../../define/index.ts'
import type { RangeMember } from './range-plan.ts'

/** A stream with its opened source. `underWay`: the maximum number of windows that are requested concurrently. */
export async function openMember(
  { stream, tables, walk }: StreamDeclaration<Range>,
  connection: (endpoint: Endpoint) => Connection,
  underWay: number,
): Promise<RangeMember> {
  return { stream, tables, walk, source: await walk.source(connection(walk.endpoint), { underWay }) }
}
