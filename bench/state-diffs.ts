import { createdBy } from '../codec/evm/state-diffs.ts'
import { readEvmStateDiffs } from '../src/decode/evm/state.ts'
import type { EvmBlockDiffs } from '../src/model.ts'
import { decodedPerSecond } from './decoded-per-second.ts'
import { recordedEvm } from './recorded-evm.ts'

type Diffed = { readonly txHash: string; readonly result: { readonly pre: object } }

/** The recorded blocks with their diffs, without the genesis block. Accounts that the diffs leave open count as deleted. */
function diffedBlocks(): EvmBlockDiffs[] {
  const blocks = recordedEvm('c-blocks').map(({ result }) => result)
  const ofBlocks = recordedEvm('prestates').filter(
    ({ method, result }) => /ByNumber$/.test(method) && result !== undefined,
  )
  return ofBlocks.map(({ params, result }: { params: string[]; result: Diffed[] }) => {
    const block = blocks[Number(params[0])]
    const created = block.transactions.map(createdBy).filter((address: string | null) => address !== null)
    const open = [...result.flatMap((each) => Object.keys(each.result.pre)), ...created]
    return {
      number: Number(params[0]),
      block,
      transactionHashes: result.map(({ txHash }) => txHash),
      traces: [result.map((each) => each.result)],
      state: Object.fromEntries(open.map((address) => [address, {}])),
    }
  })
}

/** State changes decoded to rows per CPU second, without requests and files. */
export async function stateDiffLines(): Promise<readonly string[]> {
  const blocks = diffedBlocks()
  const decodeAll = (): number =>
    blocks.reduce((sum, block) => {
      const rows = Object.values(readEvmStateDiffs(block, { network: 'local', chainId: '43112' }))
      return sum + rows.reduce((own, { length }) => own + length, 0)
    }, 0)
  return [`state diffs: ${decodedPerSecond(decodeAll)} changes decoded per CPU second`]
}
