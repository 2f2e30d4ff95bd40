import { chains } from '../../../schemas/chains.ts'
import type { StreamDeclaration } from '../../define/index.ts'

/** Names of the tables that streams add to; every run that knows its node also writes the chains. */
export function tablesWritten(streams: readonly StreamDeclaration[], knowsNode: boolean): string[] {
  const tables = streams.flatMap((stream) => Object.values(stream.tables))
  return [...new Set([...tables, ...(knowsNode ? [chains] : [])].map(({ name }) => name))]
}
