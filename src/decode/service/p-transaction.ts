import { decodeCb58 } from '../../../codec/cb58.ts'
import { contradiction, type Reading } from '../json/fields.ts'
import { jsonText } from '../json/json-text.ts'
import { hex, id } from '../json/value-fields.ts'

/** What tables cannot declare of a P-Chain transaction of the service (specification 2.3). */

const u64End = 1n << 64n
const int64End = 1n << 63n
const decimalEnd = 10n ** 38n

/**
 * Reads genesisData of a created chain. The creator of a chain may write any text, so the whole text is stored. Other columns are null
 * without an error where it has no such value.
 */
const genesis = {
  json: (data: unknown) => (typeof data === 'string' ? data : jsonText(data)),
  chainId: (data: unknown) => wholeBelow(memberOf(memberOf(data, 'config'), 'chainId'), u64End),
  feeConfig(data: unknown) {
    const fees = memberOf(memberOf(data, 'config'), 'feeConfig')
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
  },
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

/** Reads the validation id in hex. Throws `DecodeError` if it differs from the one in CB58. */
function validationIdHex(_: unknown, at: Reading): string {
  const stated = id(at, 'validationId')
  const found = hex(at, 'validationIdHex')
  if (found.replace('0x', '') === Buffer.from(decodeCb58(stated)).toString('hex')) return found
  throw contradiction(at, 'validationIdHex', found, 'validationId', stated)
}

/** Reads a text of the BLS credentials, if it is there. The specification does not define their content. */
const textOf = (name: string) => (credentials: unknown) => {
  const found = memberOf(credentials, name)
  return typeof found === 'string' ? found.toLowerCase() : null
}

export const pTransactionReaders = {
  genesis_json: genesis.json,
  evm_chain_id: genesis.chainId,
  evm_fee_config: genesis.feeConfig,
  'l1_validator_details.validation_id_hex': validationIdHex,
  'l1_validator_details.bls_public_key': textOf('publicKey'),
  'l1_validator_details.bls_proof_of_possession': textOf('proofOfPossession'),
}
