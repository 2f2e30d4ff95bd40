import { bytesOfCheckedHex, CheckedHexError } from '../../codec/checked-hex.ts'
import type { Connection } from '../define/connection.ts'
import { type RangeSource, theNode } from '../define/index.ts'
import { DecodeError, RpcError, TransportError } from '../errors.ts'
import type { HeightBlock } from '../model.ts'
import { askAgain } from './ask-again.ts'
import { fieldOf } from './field-of.ts'
import { askNode } from './node-client.ts'
import { type HeightsOf, readHeightOfNode } from './node-height.ts'
import { createWindowSize } from './window-size.ts'

type HeightRangeOptions = HeightsOf & {
  /** Number of concurrent windows. */
  readonly underWay: number
  /** How often a block is requested that the node does not seem to have yet. Default 4. */
  readonly tries?: number
  /** Bound of the wait before the second of these tries; it doubles. Default 500 ms. */
  readonly waitMs?: number
}

const noBlock = 'transport.no-block'

/** Largest window in blocks: these paths accept no batches, so each block is one request. */
const mostTogether = 128

/**
 * Accepted blocks of the P or X chain by height (`platform` or `xvm`: `getHeight`, `getBlockByHeight` as hex), for nodes without an index.
 * The genesis block is left out, because no index holds it.
 */
export function createHeightRange(connection: Connection, options: HeightRangeOptions): RangeSource<HeightBlock> {
  const { chain, namespace, underWay, tries = 4, waitMs = 500 } = options
  const path = `/ext/bc/${chain}`
  const size = createWindowSize(underWay, mostTogether)

  const ask = <T>(method: string, params: object, parse: (answer: unknown) => T, signal: AbortSignal | undefined) =>
    askNode(
      connection,
      { host: 'node', endpoint: theNode, path, method: `${namespace}.${method}`, params: { ...params } },
      { parse, ...(signal === undefined ? {} : { signal }) },
    )

  async function block(height: number, signal: AbortSignal | undefined): Promise<HeightBlock> {
    const params = { height: String(height), encoding: 'hex' }
    const read = (answer: unknown) => readBlock(answer, `${chain} block ${height}`)
    const attempt = () => ask('getBlockByHeight', params, read, signal)
    try {
      return { height, bytes: await askAgain(attempt, { isTransient, tries, waitMs }, signal) }
    } catch (error) {
      throw isMissing(error) ? missingBlock(chain, height, error) : error
    }
  }

  let why = ''
  return {
    async head(signal) {
      try {
        const height = await readHeightOfNode(connection, { chain, namespace }, signal)
        if (height > 0) return height
        why = `The ${chain} chain of the node has no block after its genesis yet.`
      } catch (error) {
        if (!isNotLinear(error)) throw error
        why = `The ${chain} chain of the node is not linear yet (before Cortina), so it has no blocks.`
      }
      return null
    },
    whyEmpty: () => why,
    begins: () => ({ at: 1, notice: null }),
    windowSize: size.current,
    perRequest: 1,
    async window(from, to, signal) {
      const heights = Array.from({ length: to - from }, (_, at) => from + at)
      const blocks = await Promise.all(heights.map((height) => block(height, signal)))
      size.answered(
        blocks.length,
        blocks.reduce((sum, { bytes }) => sum + bytes.length * 2, 0),
      )
      return blocks
    },
    at: ({ height }) => height,
    bytes: ({ bytes }) => bytes.length,
  }
}

/** Times of single blocks or of several, where those that the node does not have count as missing. */
export function orMissing(times: Times): Times {
  return async (from, to, signal) => {
    try {
      return await times(from, to, signal)
    } catch (error) {
      if (!(error instanceof TransportError) || error.code !== noBlock) throw error
      if (to - from === 1) return ['missing']
      const single = Array.from({ length: to - from }, (_, at) => orMissing(times)(from + at, from + at + 1, signal))
      return (await Promise.all(single)).flat()
    }
  }
}

type Times = NonNullable<RangeSource<HeightBlock>['times']>

function readBlock(answer: unknown, name: string): Uint8Array {
  try {
    return bytesOfCheckedHex(fieldOf(answer, 'block'))
  } catch (cause) {
    if (!(cause instanceof CheckedHexError)) throw cause
    throw new DecodeError(`The answer for ${name} ${cause.message}.`, {
      code: 'decode.block',
      hint: 'The answer was damaged in transit: run again, or try another node.',
      cause,
    })
  }
}

/** The answer was damaged in transit, or this node lags behind the node that stated the head: a retry may succeed. */
function isTransient(error: unknown): boolean {
  return error instanceof DecodeError || isMissing(error)
}

function isMissing(error: unknown): error is RpcError {
  return error instanceof RpcError && /not found|no block|couldn't get block/i.test(error.answer)
}

/** The answer of a node from before the linear X chain, or of a node with a chain that is not linear yet. */
function isNotLinear(error: unknown): boolean {
  return error instanceof RpcError && /can't find method|not linearized/i.test(error.answer)
}

function missingBlock(chain: string, height: number, cause: RpcError): TransportError {
  return new TransportError(
    `The node does not return block ${height} of the ${chain} chain, although its head is higher.`,
    {
      code: noBlock,
      details: { answer: cause.answer },
      hint: 'Behind a load balancer one node may lag: use the URL of one node, or run again later.',
      cause,
    },
  )
}
