import { recordedLines } from '../../recorded.ts'
import { type Answers, recordedAnswers } from './rpc-facts.ts'

/** A call as the call tracer writes it. */
export type Frame = {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly gas: string
  readonly gasUsed: string
  readonly input: string
  readonly output?: string
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly Frame[]
}

export type Traced = { readonly txHash: string; readonly result: Frame }

/** A block with the answer of debug_traceBlockByNumber. */
export type TracedAnswers = Answers & { readonly traces: readonly Traced[] }

let known: readonly TracedAnswers[] | null = null

/** The recorded blocks with their traces, from the genesis block on, which has none; parsed once. */
export function tracedAnswers(): readonly TracedAnswers[] {
  known ??= readAnswers()
  return known
}

function readAnswers(): TracedAnswers[] {
  const traces = recordedLines('evm/c-traces').map((line) => JSON.parse(line).result)
  return recordedAnswers('evm').map((each, number) => ({ ...each, traces: number === 0 ? [] : traces[number - 1] }))
}

/** The rows of evm_traces of a block, without recursion: by a list of calls to visit. */
export function traceFacts({ block, traces }: TracedAnswers): object[] {
  return traces.flatMap(({ txHash, result }, transactionIndex) => {
    const facts: object[] = []
    const waiting: { frame: Frame; path: number[]; failed: boolean }[] = [{ frame: result, path: [], failed: false }]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { frame, path } = next
      const failed = next.failed || frame.error !== undefined
      facts.push({
        network: 'local',
        chain_id: '43112',
        block_number: Number(block.number),
        block_time: BigInt(block.timestampMilliseconds ?? Number(block.timestamp) * 1000) * 1000n,
        transaction_index: transactionIndex,
        transaction_hash: txHash,
        trace_index: facts.length,
        trace_address: path.join('.'),
        depth: path.length,
        call_type: frame.type,
        from_address: frame.from,
        to_address: frame.to ?? null,
        value: frame.value === undefined ? null : BigInt(frame.value),
        value_raw: frame.value === undefined ? null : BigInt(frame.value).toString(),
        gas: BigInt(frame.gas),
        gas_used: BigInt(frame.gasUsed),
        input: Buffer.from(frame.input.slice(2), 'hex'),
        output: frame.output === undefined ? null : Buffer.from(frame.output.slice(2), 'hex'),
        error: frame.error ?? null,
        revert_reason: frame.revertReason ?? null,
        reverted: failed,
        child_count: frame.calls?.length ?? 0,
      })
      const calls = (frame.calls ?? []).map((call, at) => ({ frame: call, path: [...path, at], failed }))
      waiting.push(...calls.reverse())
    }
    return facts
  })
}
