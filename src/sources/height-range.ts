import { bytesOfCheckedHex, CheckedHexError } from '../codec/checked-hex.ts'
import { type RangeSource, theNode } from '../define/index.ts'
import { DecodeError, RpcError, TransportError } from '../errors.ts'
import type { Transport } from '../fetch/transport.ts'
import type { HeightBlock } from '../model.ts'
import { askAgain } from './ask-again.ts'
import { fieldOf } from './field-of.ts'
import { askNode } from './node-client.ts'
import { type HeightsOf, readHeightOfNode } from './node-height.ts'
import { createWindowSize } from './window-size.ts'

export type HeightRangeOptions = HeightsOf & {
  /** Windows that are asked for at the same time. */
  readonly underWay: number
  /** How often a block is asked for that the node seems not to have yet. Default 4. */
  readonly tries?: number
  /** Bound of the wait before the second of these tries; it doubles. Default 500 ms. */
  readonly waitMs?: number
}

/** Blocks that are asked for together: these paths take no batches, so that it is a request each. */
const mostTogether = 128

/**
 * Accepted blocks of the P or X chain by height (`platform` or `xvm`: `getHeight`, `getBlockByHeight` as hex), for nodes without an index. A
 * block at height h has the coordinate h − 1, the index of its container; the genesis block, which no index holds, is left out.
 */
export function createHeightRange(transport: Transport, options: HeightRangeOptions): RangeSource<HeightBlock> {
  const { chain, namespace, underWay, tries = 4, waitMs = 500 } = options
  const path = `/ext/bc/${chain}`
  const size = createWindowSize(underWay, mostTogether)

  const ask = <T>(method: string, params: object, parse: (answer: unknown) => T, signal: AbortSignal | undefined) =>
    askNode(
      transport,
      { host: 'node', place: theNode, path, method: `${namespace}.${method}`, params: { ...params } },
      { parse, ...(signal === undefined ? {} : { signal }) },
    )

  async function block(index: number, signal: AbortSignal | undefined): Promise<HeightBlock> {
    const height = index + 1
    const params = { height: String(height), encoding: 'hex' }
    const read = (answer: unknown) => readBlock(answer, `${chain} block ${height}`)
    const attempt = () => ask('getBlockByHeight', params, read, signal)
    try {
      return { index, bytes: await askAgain(attempt, { isPassing, tries, waitMs }, signal) }
    } catch (error) {
      throw isLacking(error) ? lacking(chain, height, error) : error
    }
  }

  let why = ''
  return {
    async head(signal) {
      try {
        const height = await readHeightOfNode(transport, { chain, namespace }, signal)
        if (height > 0) return height - 1
        why = `The ${chain} chain of the node has no block after its genesis yet.`
      } catch (error) {
        if (!isOfBefore(error)) throw error
        why = `The ${chain} chain of the node is of before the linear chain (Cortina), which has no blocks.`
      }
      return null
    },
    whyEmpty: () => why,
    windowSize: size.current,
    perRequest: 1,
    async window(from, to, signal) {
      const indices = Array.from({ length: to - from }, (_, at) => from + at)
      const blocks = await Promise.all(indices.map((index) => block(index, signal)))
      size.answered(
        blocks.length,
        blocks.reduce((sum, { bytes }) => sum + bytes.length * 2, 0),
      )
      return blocks
    },
    at: ({ index }) => index,
    bytes: ({ bytes }) => bytes.length,
  }
}

function readBlock(answer: unknown, name: string): Uint8Array {
  try {
    return bytesOfCheckedHex(fieldOf(answer, 'block'))
  } catch (cause) {
    if (!(cause instanceof CheckedHexError)) throw cause
    throw new DecodeError(`The answer for ${name} ${cause.message}.`, {
      code: 'decode.block',
      hint: 'The answer was damaged on the way; run again, or try another node.',
      cause,
    })
  }
}

/** Damage on the way, or a node behind the one that told the head: both can pass. */
function isPassing(error: unknown): boolean {
  return error instanceof DecodeError || isLacking(error)
}

function isLacking(error: unknown): error is RpcError {
  return error instanceof RpcError && /not found|no block|couldn't get block/i.test(error.answer)
}

/** What a node of before the linear chain answers, and one whose chain has not become linear yet. */
function isOfBefore(error: unknown): boolean {
  return error instanceof RpcError && /can't find method|not linearized/i.test(error.answer)
}

function lacking(chain: string, height: number, cause: RpcError): TransportError {
  return new TransportError(`The node has no block ${height} of the ${chain} chain, though its head is beyond.`, {
    code: 'transport.no-block',
    details: { answer: cause.answer },
    hint: 'Behind a load balancer one node may lag; use the URL of one node, or run again later.',
    cause,
  })
}
