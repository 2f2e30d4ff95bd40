import type { Connection } from '../define/connection.ts'
import { theNode } from '../define/index.ts'
import { TransportError } from '../errors.ts'
import { fieldOf } from './field-of.ts'
import { askNode } from './node-client.ts'

/** A chain, and the namespace of its methods in the specification. */
export type HeightsOf = {
  /** After `/ext/bc/`: an alias or a blockchain id. */
  readonly chain: string
  readonly namespace: 'platform' | 'xvm'
}

/**
 * The height of the last accepted block of the P or X chain (platform.getHeight, xvm.getHeight). Throws `TransportError` for an answer
 * without a height, and the errors of `askNode`.
 */
export function readHeightOfNode(
  connection: Connection,
  { chain, namespace }: HeightsOf,
  signal?: AbortSignal,
): Promise<number> {
  const question = {
    host: 'node',
    endpoint: theNode,
    path: `/ext/bc/${chain}`,
    method: `${namespace}.getHeight`,
    params: {},
  } as const
  const parse = (answer: unknown) => readHeight(answer, chain)
  return askNode(connection, question, { parse, ...(signal === undefined ? {} : { signal }) })
}

function readHeight(answer: unknown, chain: string): number {
  const text = String(fieldOf(answer, 'height') ?? '')
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new TransportError(`The node does not return the height of its ${chain} chain.`, {
    code: 'transport.unreadable',
    details: { answer: text.slice(0, 100) },
    hint: 'Check that the URL is that of a node.',
  })
}
