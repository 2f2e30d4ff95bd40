import type { Source } from '../define/index.ts'
import { HttpError } from '../errors.ts'
import type { Transport } from '../fetch/transport.ts'
import type { Container } from '../model.ts'
import { createIndexApi } from '../sources/index-api.ts'

/** The newest container of an index; null when there is nothing to export, and the line that says why. */
export type Head =
  | { readonly newest: Container; readonly notice: null }
  | { readonly newest: null; readonly notice: string }

/**
 * Asks the index at `path` for its head. An empty index is no failure, and neither is a node of before the index: one that
 * has not got it but answers for the index that came before.
 */
export async function readHead(transport: Transport, source: Source, path: string, stop?: AbortSignal): Promise<Head> {
  const ask = (index: string) => createIndexApi(transport, index).lastAccepted(stop)
  try {
    const newest = await ask(path)
    if (newest !== null) return { newest, notice: null }
  } catch (error) {
    const older = source.precededBy === null ? null : path.replace(/[^/]*$/, source.precededBy)
    if (!isMissing(error) || older === null || !(await answers(() => ask(older)))) throw error
    const why = `The node has the index ${older} but no ${path}: it is of before the linear chain, which has no blocks there.`
    return { newest: null, notice: why }
  }
  const empty = `The index ${path} of the node is empty: no containers have been accepted.`
  return { newest: null, notice: source.whenEmpty === null ? empty : `${empty} ${source.whenEmpty}` }
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask()
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof HttpError && error.status === 404
}
