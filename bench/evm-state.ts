import { mostCalls } from '../src/sources/evm-answers.ts'
import { programs } from './programs.ts'
import { startServer } from './server-process.ts'
import type { Question, Subject } from './subject.ts'

type Call = { readonly method: string; readonly params: readonly unknown[] }

/** A pipeline of EVM state, the arguments that select its subjects, and the calls for all subjects at one block. */
type StateReading = {
  readonly name: string
  readonly subjects: readonly string[]
  readonly calls: (block: string) => readonly Call[]
}

const addresses = Array.from({ length: 9 }, (_, at) => `0x${String(at + 1).padStart(40, '0')}`)
const supply = '0x18160ddd'
const tokenCalls = ['0x06fdde03', '0x95d89b41', '0x313ce567', supply]
const callsOf = (inputs: readonly string[]) => (block: string) =>
  addresses.flatMap((to) => inputs.map((data) => ({ method: 'eth_call', params: [{ to, data }, block] })))

const readings: readonly StateReading[] = [
  {
    name: 'evm-balances',
    subjects: ['--addresses', addresses.join()],
    calls: (block) => addresses.map((address) => ({ method: 'eth_getBalance', params: [address, block] })),
  },
  {
    name: 'evm-calls',
    subjects: ['--contracts', addresses.join(), '--calls', 'function totalSupply() view returns (uint256)'],
    calls: callsOf([supply]),
  },
  { name: 'evm-tokens', subjects: ['--tokens', addresses.join()], calls: callsOf(tokenCalls) },
]

/** Each reads nine accounts, contracts or tokens at each block of a range, in one batch with the header of the block. */
export const stateSubjects: readonly Subject[] = readings.map(({ name, subjects, calls }) => ({
  name,
  sizes: [2_000, 6_000],
  item: 'row',
  answers: 'cells',
  async serve(size) {
    const { url, close } = await startServer(programs.staticEvm, [String(size)])
    const perBatch = Math.floor(mostCalls / (1 + calls('0x0').length))
    return {
      url,
      close,
      args: [name, ...subjects, '--chain', url, '--from', '0', '--to', String(size)],
      rendersFirst: false,
      questions: async () =>
        Array.from({ length: Math.ceil(size / perBatch) }, (_, at) =>
          question(calls, at * perBatch, Math.min((at + 1) * perBatch, size)),
        ),
    }
  },
}))

function question(calls: StateReading['calls'], from: number, to: number): Question {
  const batch: Call[] = []
  for (let number = from; number < to; number++) {
    const block = `0x${number.toString(16)}`
    batch.push({ method: 'eth_getBlockByNumber', params: [block, false] }, ...calls(block))
  }
  return { method: 'POST', path: '/', body: JSON.stringify(batch.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))) }
}
