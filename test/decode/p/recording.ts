import { decodePContainer, type PRows } from '../../../src/decode/p/container.ts'
import type { ChainContext, Container } from '../../../src/model.ts'
import { recordedContainers } from '../../recorded.ts'

const pChainId = '11111111111111111111111111111111LpoYY'

/** What the decoder must know of the networks of the recordings. */
export const contexts = {
  granite: {
    network: 'local',
    networkId: 12345,
    hrp: 'local',
    chain: 'P',
    blockchainId: pChainId,
    nativeAssetId: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
    durangoTime: 0,
  },
  helicon: {
    network: 'network-88003',
    networkId: 88003,
    hrp: 'custom',
    chain: 'P',
    blockchainId: pChainId,
    nativeAssetId: '2acTdwngF4oFmMWpi4LqwZUFgnn1oSpezGX7CbWM2eXjF8uywm',
    durangoTime: 0,
  },
} as const satisfies Record<string, ChainContext>

export type RecordingName = keyof typeof contexts
export const recordingNames = ['granite', 'helicon'] as const

/** The rows of many containers, table by table. */
export function rowsOfAll(containers: readonly Container[], context: ChainContext): PRows {
  const all: PRows = { blocks: [], transactions: [], inputs: [], outputs: [], validations: [] }
  for (const container of containers) {
    const rows = decodePContainer(container, context)
    for (const table of Object.keys(all) as (keyof PRows)[])
      for (const row of rows[table]) all[table].push(row as never)
  }
  return all
}

export function recordedRows(recording: RecordingName): PRows {
  return rowsOfAll(recordedContainers(`recorded/${recording}/p-containers.jsonl.gz`), contexts[recording])
}
