import { genesisTime } from '../../network/eras.ts'
import { genesisHash } from '../../network/genesis.ts'
import type { BlockJson } from './block-json.ts'
import { data, quantity } from './hex.ts'

/** Gas limit of the first block, which has no transactions. */
export const genesisGasLimit = 100_000_000

const zero = (bytes: number) => `0x${'00'.repeat(bytes)}`
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** Block 0, which no index contains. The block of the first container names its hash as its parent. */
export function genesisJson(seed: number): BlockJson {
  return {
    blockExtraData: '0x',
    difficulty: '0x0',
    extDataHash: zero(32),
    extraData: '0x00',
    gasLimit: quantity(genesisGasLimit),
    gasUsed: '0x0',
    hash: data(genesisHash(seed, 'C genesis')),
    logsBloom: zero(256),
    miner: zero(20),
    mixHash: zero(32),
    nonce: zero(8),
    number: '0x0',
    parentHash: zero(32),
    receiptsRoot: emptyRoot,
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    size: '0x200',
    stateRoot: data(genesisHash(seed, 'C genesis state')),
    timestamp: quantity(genesisTime),
    totalDifficulty: '0x0',
    transactions: [],
    transactionsRoot: emptyRoot,
    uncles: [],
  }
}
