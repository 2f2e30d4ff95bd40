import { evmCalls } from '../schemas/evm-contracts.ts'
import { p } from '../src/define/index.ts'
import { contracts, evmAddresses } from './shared/parameters.ts'
import { callSubject, statePipeline } from './shared/state-pipeline.ts'

export const evmCallsPipeline = statePipeline({
  name: 'evm-calls',
  comment:
    'Results of read-only calls of contracts of an EVM chain at listed blocks or at every n-th block, from its JSON-RPC, encoded and decoded by their ABI.',
  parameters: {
    contracts,
    calls: p.list(
      'Functions as in Solidity, such as function balanceOf(address) view returns (uint256), names of functions of abi, or whole inputs as hexadecimal text (default: the view functions of abi without parameters).',
      {
        pattern: {
          source: '^\\s*(function\\s.*\\).*|0x([0-9a-fA-F]{2})*\\s*|[A-Za-z_$][A-Za-z0-9_$]*\\s*)$',
          says: 'must be a function as in Solidity, the name of a function of abi, or 0x and an even number of hexadecimal digits',
        },
        example: 'function totalSupply() view returns (uint256)',
      },
    ),
    abi: p.abi(
      'File with the ABI of the contracts, or with the artifact of a compiler; for a proxy that of its implementation.',
      { abiItems: 'functions' },
    ),
    arguments: p.list(
      'Arguments for functions with parameters: each item is a JSON list with the arguments of one call, or the text of the only argument; inline, from a file or a query.',
    ),
  },
  table: evmCalls,
  async subjects({ contracts, calls, abi, arguments: given }) {
    const [{ callInputs }, { callReader }, { keccakText }] = await Promise.all([
      import('./shared/contract-abi.ts'),
      import('../src/decode/events/calls.ts'),
      import('../src/decode/evm/state.ts'),
    ])
    const inputs = await callInputs({ calls, abi, given })
    return evmAddresses(contracts).flatMap((contract) =>
      inputs.map(({ input, called }) => ({
        key: { contract, input_hash: keccakText(input) },
        ...callSubject(contract, input),
        read: callReader({ contract, input, called }),
      })),
    )
  },
})
