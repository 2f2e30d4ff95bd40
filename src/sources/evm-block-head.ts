import type { Connection } from '../define/connection.ts'
import type { RangeSource, RecordTime } from '../define/index.ts'
import { ConfigError, DecodeError, RpcError } from '../errors.ts'
import { callRpc } from '../fetch/json-rpc.ts'
import { parseExactJson } from '../lib/text/json.ts'
import { blockCall, blockOrNull, blockTimeOf, hex, isObject, type Json } from './evm-answers.ts'
import type { EvmCalls } from './evm-calls.ts'
import { nullRounds } from './null-rounds.ts'

/** Identifies a block, whether it was requested by number or by tag. */
type EvmBlockHead = {
  readonly number: number
  /** `0x` and lower-case hex. */
  readonly hash: string
  /** Microseconds since 1970 UTC. */
  readonly time: bigint
}

/**
 * The block that a decimal number or a tag names now (eth_getBlockByNumber). Throws `ConfigError` if the chain has no such block, and
 * `DecodeError` if the answer has no number, hash or time.
 */
export async function readEvmBlockHead(
  connection: Connection,
  route: string,
  wanted: string,
  signal?: AbortSignal,
): Promise<EvmBlockHead> {
  const name = /^\d+$/.test(wanted) ? `0x${Number(wanted).toString(16)}` : wanted
  const options = { parse: parseExactJson, ...(signal === undefined ? {} : { signal }) }
  const block = await callRpc(connection, route, 'eth_getBlockByNumber', [name, false], options).catch((error) => {
    // Nodes before Helicon answer so for a block beyond the head.
    if (error instanceof RpcError && /unfinalized data/.test(error.answer)) return null
    throw error
  })
  if (block === null)
    throw new ConfigError(`The chain has no block ${wanted} yet.`, {
      code: 'config.no-block',
      hint: 'Name an existing block, or the tag finalized.',
    })
  const field = (name: string): string => {
    const value = isObject(block) ? block[name] : undefined
    return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? value : ''
  }
  const [number, hash] = [field('number'), field('hash')]
  const time = isObject(block) ? blockTimeOf(block) : null
  if (number === '' || hash.length !== 66 || typeof time !== 'bigint' || !Number.isSafeInteger(Number(number)))
    throw new DecodeError(`The answer to eth_getBlockByNumber of ${wanted} is not a block.`, {
      code: 'decode.field',
      details: { method: 'eth_getBlockByNumber', block: wanted },
      hint: 'Check that the URL is the JSON-RPC of an EVM chain, such as http://127.0.0.1:9650/ext/bc/C/rpc.',
    })
  return { number: Number(number), hash: hash.toLowerCase(), time }
}

/** Reads the times of blocks of an EVM chain, from their headers (eth_getBlockByNumber). */
export function evmBlockTimes(calls: EvmCalls): NonNullable<RangeSource<unknown>['times']> {
  return async (from, to, signal) => {
    const numbers = Array.from({ length: to - from }, (_, at) => from + at)
    const { outcomes } = await calls.ask(
      numbers.map((number) => blockCall(hex(number), false)),
      { signal },
    )
    const blocks = new Map<number, Json>()
    for (const [at, number] of numbers.entries()) {
      const block = blockOrNull(number, outcomes[at]!)
      if (block !== null) blocks.set(number, block)
    }
    const missing = numbers.filter((number) => !blocks.has(number))
    const none = missing.length === 0 ? new Set() : await nullRounds(calls, blocks, missing, signal)
    return numbers.map((number) => {
      const block = blocks.get(number)
      if (block !== undefined) return timeOf(number, block)
      return none.has(number) ? 'unknown' : 'missing'
    })
  }
}

function timeOf(number: number, block: Json): RecordTime {
  const time = blockTimeOf(block)
  if (time !== null) return time
  throw new DecodeError(`Block ${number} of the node has no timestamp.`, {
    code: 'decode.field',
    details: { method: 'eth_getBlockByNumber', 'block number': number },
    hint: 'Check that the URL is the JSON-RPC of an EVM chain.',
  })
}
