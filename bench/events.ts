import type { EvmLog } from '../schemas/evm-blocks.ts'
import { topicOf } from '../src/decode/events/abi.ts'
import { eventDecoder, parseSignature } from '../src/decode/events/events.ts'

const swap = parseSignature(
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  'the bench',
)
const amounts = [0n, 1_234_567_890_123_456_789n, 98_765_432_109_876_543_210_987n, 0n]

/** Swap logs of a Uniswap V2 pair, each with different amounts. */
function swaps(count: number): EvmLog[] {
  const party = `0x${'0'.repeat(24)}${'7a'.repeat(20)}`
  return Array.from({ length: count }, (_, at): EvmLog => {
    const words = amounts.map((amount) => (amount === 0n ? 0n : amount + BigInt(at)).toString(16).padStart(64, '0'))
    return {
      network: 'local',
      chain_id: '43112',
      block_number: at,
      block_time: 1_700_000_000_000_000n,
      transaction_index: 0,
      transaction_hash: `0x${'01'.repeat(32)}`,
      log_index: 0,
      address: `0x${'02'.repeat(20)}`,
      topic0: topicOf(swap),
      topic1: party,
      topic2: party,
      topic3: null,
      data: Buffer.from(words.join(''), 'hex'),
    }
  })
}

/** Uniswap Swap events decoded per CPU second, without requests and files. */
export async function eventLines(): Promise<readonly string[]> {
  const { isOf, decode } = eventDecoder(swap, { name: 'evm_event_swap' })
  const logs = swaps(20_000)
  const decodeAll = (): void => {
    for (const log of logs) if (!isOf(log) || !('row' in decode(log))) throw new Error('A Swap was not decoded.')
  }
  for (let round = 0; round < 5; round++) decodeAll()
  const rounds = 20
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) decodeAll()
  const { user, system } = process.cpuUsage(before)
  const perSecond = Math.round((rounds * logs.length * 1e6) / (user + system))
  return [`events: ${perSecond.toLocaleString('en-US')} Swaps decoded per CPU second`]
}
