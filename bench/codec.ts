import { join } from 'node:path'
import { decodeExtData } from '../src/codec/c/atomic-transactions.ts'
import { decodeCBlock } from '../src/codec/c/blocks.ts'
import { decodeExactly } from '../src/codec/linear/index.ts'
import { pBlock } from '../src/codec/p/blocks.ts'
import { unwrap } from '../src/codec/proposervm.ts'
import { xBlock } from '../src/codec/x/blocks.ts'
import { decodePContainer } from '../src/decode/p/container.ts'
import { recordedLines } from '../src/devnet/replay/lines.ts'
import { packageRoot } from '../src/lib/package-root.ts'
import type { ChainContext, Container } from '../src/model.ts'

/** CPU time of decoding recorded containers, without network or files: `npm run bench` builds it, then `node dist/bench/codec.js`. */
const folder = join(packageRoot(), 'test/fixtures/recorded/granite')

function containersOf(chain: string): Container[] {
  return (recordedLines(folder, `${chain}-containers.jsonl`) ?? []).map((line) => {
    const { index, id, bytes } = JSON.parse(line) as { index: string; id: string; bytes: string }
    return { index: Number(index), id, acceptedAtNs: 0n, bytes: Buffer.from(bytes.slice(2, -8), 'hex') }
  })
}

const context: ChainContext = {
  network: 'local',
  networkId: 12345,
  hrp: 'local',
  chain: 'P',
  blockchainId: '11111111111111111111111111111111LpoYY',
  evmChainId: null,
  nativeAssetId: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  durangoTime: 0,
}

function measure(name: string, containers: readonly Container[], work: (container: Container) => unknown): void {
  const rounds = Math.ceil(40_000 / containers.length)
  for (let round = 0; round < rounds; round++) for (const container of containers) work(container)
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) for (const container of containers) work(container)
  const { user, system } = process.cpuUsage(before)
  const micros = (user + system) / (rounds * containers.length)
  console.log(`${name}: ${micros.toFixed(1)} µs of CPU a container, ${Math.round(1e6 / micros)} a second`)
}

const p = containersOf('p')
measure('P structures', p, ({ bytes }) => decodeExactly(pBlock, unwrap(bytes).block, 'block'))
measure('P rows', p, (container) => decodePContainer(container, context))
measure('X structures', containersOf('x'), ({ bytes }) => decodeExactly(xBlock, unwrap(bytes).block, 'block'))
measure('C structures and hashes', containersOf('c'), ({ bytes }) => {
  const { block } = decodeCBlock(unwrap(bytes).block, 'block')
  return decodeExtData(block.extData, 'block.extData')
})
