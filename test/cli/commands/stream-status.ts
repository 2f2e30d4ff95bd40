import type { StreamStatus } from '../../../src/catalog/catalog.ts'
import { streamOf } from '../../lib/stream-of.ts'

/** The status of a stream without anything in the lake, and what it has else. */
export function streamStatus(stream: string, more: Partial<StreamStatus>): StreamStatus {
  return {
    ...streamOf(stream),
    tables: [],
    stretches: null,
    observations: null,
    pipeline: null,
    unit: 'records',
    lastRun: null,
    reached: null,
    ...more,
  }
}
