import type { RestPTransaction } from '../../../schemas/rest-p-transactions.ts'
import { jsonText } from '../json/json-text.ts'

type GenesisColumns = Pick<RestPTransaction, 'genesis_json' | 'evm_chain_id' | 'evm_fee_config'>

const u64End = 1n << 64n
const int64End = 1n << 63n
const decimalEnd = 10n ** 38n

/**
 * Returns the columns of genesisData of a created chain (specification 2.3). The creator of a chain may write any text, so the whole text
 * is stored. Values that cannot be read become null without an error.
 */
export function genesisColumns(genesis: unknown): GenesisColumns {
  if (genesis === undefined) return { genesis_json: null, evm_chain_id: null, evm_fee_config: null }
  if (typeof genesis === 'string') return { genesis_json: genesis, evm_chain_id: null, evm_fee_config: null }
  const config = memberOf(genesis, 'config')
  return {
    genesis_json: jsonText(genesis),
    evm_chain_id: wholeBelow(memberOf(config, 'chainId'), u64End),
    evm_fee_config: feeConfig(memberOf(config, 'feeConfig')),
  }
}

function feeConfig(fees: unknown): GenesisColumns['evm_fee_config'] {
  if (typeof fees !== 'object' || fees === null) return null
  const int64 = (name: string) => wholeBelow(memberOf(fees, name), int64End)
  return {
    gas_limit: wholeBelow(memberOf(fees, 'gasLimit'), u64End),
    target_block_rate: int64('targetBlockRate'),
    target_gas: int64('targetGas'),
    min_base_fee: wholeBelow(memberOf(fees, 'minBaseFee'), decimalEnd),
    base_fee_change_denominator: int64('baseFeeChangeDenominator'),
    min_block_gas_cost: int64('minBlockGasCost'),
    max_block_gas_cost: int64('maxBlockGasCost'),
    block_gas_cost_step: int64('blockGasCostStep'),
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}

function wholeBelow(value: unknown, end: bigint): bigint | null {
  const whole =
    typeof value === 'bigint'
      ? value
      : typeof value === 'number' && Number.isSafeInteger(value)
        ? BigInt(value)
        : typeof value === 'string' && /^(\d{1,40}|0x[0-9a-f]{1,32})$/i.test(value)
          ? BigInt(value)
          : null
  return whole !== null && whole >= 0n && whole < end ? whole : null
}
