import { join } from 'node:path'
import { recordedLines } from '../devnet/replay/recording.ts'
import { packageRoot } from '../src/lib/package.ts'
import type { ChainContext, Container } from '../src/model.ts'

/** Recorded containers of a chain. */
export function recordedContainers(chain: 'p' | 'x' | 'c'): Container[] {
  const lines = recordedLines(join(packageRoot(), 'test/fixtures/recorded/granite'), `${chain}-containers.jsonl`) ?? []
  return lines.map((line) => {
    const { index, id, bytes } = JSON.parse(line) as { index: string; id: string; bytes: string }
    // The last four bytes are a checksum.
    return { index: Number(index), id, acceptedAtNs: 0n, bytes: Buffer.from(bytes.slice(2, -8), 'hex') }
  })
}

/** The network and chain in their rows. */
export const recordedContext: ChainContext = {
  network: 'local',
  networkId: 12345,
  hrp: 'local',
  chain: 'P',
  blockchainId: '11111111111111111111111111111111LpoYY',
  evmChainId: null,
  nativeAssetId: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  durangoTime: 0,
  fxs: null,
}
