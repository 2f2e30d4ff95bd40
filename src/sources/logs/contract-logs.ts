import type { Connection, RangeSource, SharedRequests } from '../../define/index.ts'
import { chunksOf } from '../../lib/chunks.ts'
import type { EvmBlockLogs } from '../../model.ts'
import { createEvmLogs, type EvmLogsOptions } from '../evm-logs.ts'
import type { LogFilter } from '../log-filter.ts'
import { joinWindows } from './join-windows.ts'

/** Contracts per request: nodes accept no more. */
const mostContracts = 1000

/** Logs of contracts, one source for each; where several are missing the same blocks, they share requests. */
export type ContractLogs = {
  /** The logs of a contract (a lower-case address); null: of any contract. */
  readonly sourceOf: (contract: string | null) => RangeSource<EvmBlockLogs>
}

type Options = Omit<EvmLogsOptions, 'filter'> & Pick<LogFilter, 'topics'>

export function createContractLogs(connection: Connection, route: string, options: Options): ContractLogs {
  const { topics, ...others } = options
  const contracts = new Map<RangeSource<EvmBlockLogs>, string>()
  const logsOf = (addresses: readonly string[]): RangeSource<EvmBlockLogs> =>
    createEvmLogs(connection, route, { ...others, filter: { contracts: addresses, topics } })
  const shared: SharedRequests<EvmBlockLogs> = {
    together(sources) {
      if (sources.length === 1) return sources
      return chunksOf(sources, mostContracts).flatMap((chunk) => {
        const addresses = chunk.map((source) => contracts.get(source) ?? '')
        return joinWindows(logsOf(addresses), addresses, recordsOf)
      })
    },
  }
  return {
    sourceOf(contract) {
      if (contract === null) return logsOf([])
      const source = { ...logsOf([contract]), shared }
      contracts.set(source, contract)
      return source
    },
  }
}

/** The blocks by contract, each with the logs of the contract only. */
function recordsOf(blocks: readonly EvmBlockLogs[]): Map<string, EvmBlockLogs[]> {
  const found = new Map<string, EvmBlockLogs[]>()
  for (const { number, block, logs } of blocks)
    for (const log of logs) {
      const contract = String(log['address']).toLowerCase()
      const own = found.get(contract) ?? []
      found.set(contract, own)
      const last = own.at(-1)
      if (last?.number === number) (last.logs as object[]).push(log)
      else own.push({ number, block, logs: [log] })
    }
  return found
}
