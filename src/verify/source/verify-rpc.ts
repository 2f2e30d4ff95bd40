import { OtherSourceError } from '../../errors.ts'
import { identifyEvmChain } from '../../sources/evm-chain.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound } from '../lake/lake-rows.ts'
import { nodeQuestions } from './node-questions.ts'
import type { SampleOptions } from './node-sample.ts'
import { evmChainOf, verifyEvm } from './verify-evm-source.ts'

/**
 * Compares a sample of the blocks of an EVM chain with its JSON-RPC, at a path below the base URL.
 *
 * @throws OtherSourceError when the lake has no blocks of this chain.
 */
export async function verifyRpc(rows: LakeRows, options: SampleOptions, path: string): Promise<Checked> {
  const chainId = String((await identifyEvmChain(options.connection, path, options.stop)).chainId)
  const { coverage } = rows.inventory
  const heads = coverage.filter((row) => evmChainOf(row) === chainId)
  if (heads.length === 0)
    throw new OtherSourceError(
      `The RPC endpoint serves the chain ${chainId}, but the lake has no blocks of this chain.`,
      {
        details: {
          'EVM chains of the lake': [...new Set(coverage.flatMap((row) => evmChainOf(row) ?? []))].join(', '),
        },
        hint: 'Nothing was compared. Give --rpc the URL of an EVM chain with blocks in the lake (evm-blocks).',
      },
    )
  const questions = nodeQuestions()
  let checked = nothingFound
  for (const row of heads) checked = bothChecked(checked, await verifyEvm(rows, row, options, questions, path))
  return bothChecked(checked, { findings: [], remarks: questions.remarks() })
}
