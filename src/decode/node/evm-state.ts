import type { NodeEvmState, nodeEvmState } from '../../../schemas/node-evm-state.ts'
import type { Page, ReadingContext, Refusal } from '../../define/index.ts'
import { DecodeError, OtherSourceError } from '../../errors.ts'
import { ends } from '../bounds.ts'
import { jsonText } from '../json/json-text.ts'
import { decimalOrNull, textOrNull } from '../numbers.ts'
import type { NodePlace } from './place.ts'
import { isUnknownMethod } from './refusals.ts'

type StatePage = Page<{ state: typeof nodeEvmState }>
type Cells = Pick<
  NodeEvmState,
  | 'base_fee'
  | 'base_fee_raw'
  | 'max_priority_fee_per_gas'
  | 'max_priority_fee_per_gas_raw'
  | 'net_version'
  | 'client_version'
  | 'chain_config'
>

/** The observed chain. */
export type EvmChainPlace = NodePlace & { readonly chainId: string }

/** The calls that fill a row, in the order of the requests. Fees are last and adjacent, because they belong to one moment. */
export const evmStateCalls = [
  'eth_chainId',
  'net_version',
  'web3_clientVersion',
  'eth_getChainConfig',
  'eth_baseFee',
  'eth_maxPriorityFeePerGas',
] as const
type Method = (typeof evmStateCalls)[number]

/** Texts of the answers so far; null if the node does not know the method. They are the token of the next call. */
type Said = readonly (string | null)[]

/** Returns the call that a token requests. */
export function evmStateCall(token: string | null): Method {
  return evmStateCalls[said(token).length]!
}

function said(token: string | null | undefined): Said {
  return token == null ? [] : (JSON.parse(token) as Said)
}

/** Reads an answer to one of the calls (specification 4.2). The last answer completes the row. */
export function decodeEvmState(place: EvmChainPlace) {
  return (answer: unknown, context: ReadingContext, token?: string | null): StatePage => {
    const before = said(token)
    const method = evmStateCalls[before.length]!
    const text = method === 'eth_getChainConfig' ? configText(answer) : answerText(method, answer)
    if (method === 'eth_chainId') mustBeOfChain(text, place)
    return goOn([...before, text], place, context)
  }
}

/** Continues without the value if the node does not know a method. There is no row without the chain id. */
export function evmStateRefused(place: EvmChainPlace) {
  return (refusal: Refusal, context: ReadingContext, token?: string | null): StatePage | null => {
    const before = said(token)
    return before.length > 0 && isUnknownMethod(refusal) ? goOn([...before, null], place, context) : null
  }
}

function goOn(all: Said, place: EvmChainPlace, context: ReadingContext): StatePage {
  if (all.length < evmStateCalls.length) return { rows: { state: [] }, items: [], next: JSON.stringify(all) }
  const of = (method: Method): string | null => all[evmStateCalls.indexOf(method)] ?? null
  const baseFee = wei('eth_baseFee', of('eth_baseFee'))
  const priorityFee = wei('eth_maxPriorityFeePerGas', of('eth_maxPriorityFeePerGas'))
  const cells: Cells = {
    base_fee: decimalOrNull(baseFee),
    base_fee_raw: textOrNull(baseFee),
    max_priority_fee_per_gas: decimalOrNull(priorityFee),
    max_priority_fee_per_gas_raw: textOrNull(priorityFee),
    net_version: of('net_version'),
    client_version: of('web3_clientVersion'),
    chain_config: of('eth_getChainConfig'),
  }
  const row: NodeEvmState = {
    network: place.network,
    chain_id: place.chainId,
    subject: place.subject,
    observation_id: context.observationId,
    observed_at: context.observedAt,
    ...cells,
  }
  return { rows: { state: [row] }, items: [], next: null }
}

function configText(answer: unknown): string {
  if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return jsonText(answer)
  throw unreadable('eth_getChainConfig', 'is no object', answer)
}

function answerText(method: Method, answer: unknown): string {
  if (typeof answer === 'string' && answer !== '') return answer
  throw unreadable(method, 'is no text', answer)
}

function mustBeOfChain(text: string, { chainId }: EvmChainPlace): void {
  const found = quantity('eth_chainId', text)
  if (String(found) === chainId) return
  throw new OtherSourceError(`The node answers for EVM chain ${found} instead of ${chainId}.`, {
    details: { 'chain id': found, 'chain id before': chainId },
    hint: 'Another chain was put behind the same address while the job ran: run again.',
  })
}

function wei(method: Method, text: string | null): bigint | null {
  if (text === null) return null
  const value = quantity(method, text)
  if (value >= ends.u256) throw unreadable(method, 'has more than 256 bits', text)
  return value
}

function quantity(method: Method, text: string): bigint {
  if (/^0x[0-9a-f]+$/i.test(text)) return BigInt(text)
  throw unreadable(method, 'is no quantity', text)
}

function unreadable(method: Method, what: string, answer: unknown): DecodeError {
  return new DecodeError(`The answer to ${method} ${what}.`, {
    code: 'decode.field',
    details: { field: method, value: jsonText(answer).slice(0, 200) },
    hint: 'Nothing of this unit was written. Ask another node of the chain, or update chainlake.',
  })
}
