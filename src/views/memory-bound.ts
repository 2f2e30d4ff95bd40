import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { temporaryName } from '../lib/files/temporary-name.ts'
import { sqlText } from '../lib/text/sql-quote.ts'

/**
 * Memory and threads of DuckDB. The rest of half a GiB is for the process around it. Each thread needs a part of this memory for itself.
 */
export const queryMemory = { memory: '300MB', threads: 2 } as const

/**
 * Limits the memory of a DuckDB that reads a lake. Data that does not fit goes to a temporary folder outside the lake, because a query must
 * neither write to the lake nor wait for its catalog. The returned function removes that folder.
 */
export async function boundMemory(connection: DuckDBConnection): Promise<() => void> {
  const folder = join(tmpdir(), temporaryName('lookup', 'reader'))
  const { memory, threads } = queryMemory
  for (const setting of [`memory_limit = '${memory}'`, `threads = ${threads}`, `temp_directory = ${sqlText(folder)}`])
    await connection.run(`SET ${setting}`)
  return () => rmSync(folder, { recursive: true, force: true })
}
