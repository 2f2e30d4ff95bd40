import { theNode } from '../define/index.ts'
import type { NodeOptions } from '../run/job.ts'
import { createReach } from '../run/reach.ts'
import type { Checked, LakeRows } from './lake-rows.ts'
import type { SourceOptions } from './node-sample.ts'
import { verifySource } from './verify-source.ts'

/** How a node is reached, and how much of each stream it is asked for. */
export type AskedNode = NodeOptions & { readonly sample: number }

/** Compares the lake with a node; see `verifySource`. */
export async function askNode(
  rows: LakeRows,
  { sample, ...node }: AskedNode,
  { stop, onProgress }: Pick<SourceOptions, 'stop' | 'onProgress'>,
): Promise<Checked> {
  const reach = createReach({ ...node, stop, emit: () => undefined })
  try {
    const identity = await reach.facts.node()
    return await verifySource(rows, { transport: reach.connection(theNode), identity, sample, stop, onProgress })
  } finally {
    await reach.close()
  }
}
