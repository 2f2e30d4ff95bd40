import { OtherSourceError } from '../../errors.ts'
import { identifyEvmChain } from '../../sources/evm-chain.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound } from '../lake/lake-rows.ts'
import { nodeQuestions } from './node-questions.ts'
import type { SampleOptions } from './node-sample.ts'
import { evmChainOf, verifyEvm } from './verify-evm-source.ts'
import { chainsWithState, verifyEvmState } from './verify-evm-state.ts'

/**
 * Compares a sample of the blocks, logs, traces and state of an EVM chain with its JSON-RPC, at a path below the base URL.
 *
 * @throws OtherSourceError when the lake has nothing of this chain.
 */
export async function verifyRpc(rows: LakeRows, options: SampleOptions, path: string): Promise<Checked> {
  const chainId = String((await identifyEvmChain(options.connection, path, options.stop)).chainId)
  const { coverage } = rows.inventory
  const heads = coverage.filter((row) => evmChainOf(row) === chainId)
  const states = await chainsWithState(rows)
  const own = states.filter((chain) => chain.chainId === chainId)
  if (heads.length + own.length === 0) {
    const known = [...coverage.flatMap((row) => evmChainOf(row) ?? []), ...states.map((chain) => chain.chainId)]
    throw new OtherSourceError(
      `The RPC endpoint serves the chain ${chainId}, but the lake has no blocks or logs of this chain, and neither traces nor state.`,
      {
        details: { 'EVM chains of the lake': [...new Set(known)].join(', ') },
        hint: 'Nothing was compared. Give --rpc the URL of an EVM chain with blocks, logs, traces or state in the lake (such as of evm-blocks).',
      },
    )
  }
  const questions = nodeQuestions()
  let checked = nothingFound
  const at = { options, questions, path }
  for (const row of heads) checked = bothChecked(checked, await verifyEvm(rows, row, at))
  for (const chain of own) checked = bothChecked(checked, await verifyEvmState(rows, chain, at))
  return bothChecked(checked, { findings: [], remarks: questions.remarks() })
}
