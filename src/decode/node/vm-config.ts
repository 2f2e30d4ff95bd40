import type { nodeVmConfig } from '../../../schemas/node-vm-config.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import { answerObject, finish, ignore, object, type Reading } from '../json/fields.ts'
import { jsonText } from '../json/json-text.ts'
import { optionalCount, optionalFlag, optionalTexts, optionalU64 } from '../json/value-fields.ts'
import type { ChainPlace } from './place.ts'

/**
 * Reads the configuration of an EVM chain (admin_getVMConfig, specification 4.2). The column `config` holds all settings, so none is
 * reported as unknown.
 */
export function decodeVmConfig({ network, blockchainId, subject }: ChainPlace) {
  return (answer: unknown, context: ReadingContext): Page<{ config: typeof nodeVmConfig }> => {
    const at = answerObject(answer, 'answer', context)
    const row = {
      network,
      blockchain_id: blockchainId,
      subject,
      observation_id: context.observationId,
      observed_at: context.observedAt,
      ...object(at, 'config', settings),
    }
    finish(at)
    return { rows: { config: [row] }, items: [], next: null }
  }
}

function settings(at: Reading) {
  ignore(at, ...(Object.keys(at.object) as [string, ...string[]]))
  return {
    config: jsonText(at.object),
    eth_apis: optionalTexts(at, 'eth-apis'),
    pruning_enabled: optionalFlag(at, 'pruning-enabled'),
    historical_proof_query_window: optionalCount(at, 'historical-proof-query-window'),
    api_max_blocks_per_request: optionalCount(at, 'api-max-blocks-per-request'),
    batch_request_limit: optionalCount(at, 'batch-request-limit'),
    rpc_gas_cap: optionalU64(at, 'rpc-gas-cap'),
  }
}
