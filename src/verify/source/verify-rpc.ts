import { OtherSourceError } from '../../errors.ts'
import { identifyEvmChain } from '../../sources/evm-chain.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound } from '../lake/lake-rows.ts'
import { nodeQuestions } from './node-questions.ts'
import type { SampleOptions } from './node-sample.ts'
import { evmChainOf, verifyEvm } from './verify-evm-source.ts'

/**
 * Asks the JSON-RPC of an EVM chain, at a path below the base URL, for a sample of the blocks that the lake holds of this chain, and compares.
 *
 * @throws OtherSourceError when it holds none.
 */
export async function verifyRpc(rows: LakeRows, options: SampleOptions, path: string): Promise<Checked> {
  const chainId = String((await identifyEvmChain(options.transport, path, options.stop)).chainId)
  const { coverage } = rows.inventory
  const heads = coverage.filter((row) => evmChainOf(row) === chainId)
  if (heads.length === 0)
    throw new OtherSourceError(`The RPC is of the chain ${chainId}, of which the lake has no blocks.`, {
      details: { 'EVM chains of the lake': [...new Set(coverage.flatMap((row) => evmChainOf(row) ?? []))].join(', ') },
      hint: 'Give --rpc the URL of a chain of which the lake holds blocks (evm-blocks). Nothing was compared with this one.',
    })
  const questions = nodeQuestions()
  let checked = nothingFound
  for (const row of heads) checked = bothChecked(checked, await verifyEvm(rows, row, options, questions, path))
  return bothChecked(checked, { findings: [], remarks: questions.remarks() })
}
