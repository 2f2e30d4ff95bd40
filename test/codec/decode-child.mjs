/**
 * Prints whether the runtime allows generated code and a hash of the rows and batches of recorded containers, first for this thread and
 * then for a worker.
 */
import { createHash } from 'node:crypto'
import { isMainThread, Worker } from 'node:worker_threads'
import { generatedCellTaker } from '../../dist/codec/generated-code.js'
import { recordedLines } from '../../dist/devnet/replay/recording.js'
import { pOutputs } from '../../dist/schemas/p-chain.js'
import { createBatcher } from '../../dist/src/batch/batcher.js'
import { decodeCContainer } from '../../dist/src/decode/c/rows.js'
import { decodePContainer } from '../../dist/src/decode/p/rows.js'
import { decodeXContainer } from '../../dist/src/decode/x/rows.js'

const folder = new URL('../fixtures/recorded/granite', import.meta.url).pathname
const decoders = { p: decodePContainer, x: decodeXContainer, c: decodeCContainer }
const network = {
  network: 'local',
  networkId: 12345,
  hrp: 'local',
  evmChainId: null,
  nativeAssetId: null,
  durangoTime: 0,
  fxs: null,
}

const hash = createHash('sha256')
const batcher = createBatcher(pOutputs)
for (const [name, decode] of Object.entries(decoders)) {
  const chain = name.toUpperCase()
  for (const line of recordedLines(folder, `${name}-containers.jsonl`)) {
    const { index, id, bytes } = JSON.parse(line)
    const container = { index: Number(index), id, acceptedAtNs: 0n, bytes: Buffer.from(bytes.slice(2, -8), 'hex') }
    const rows = decode(container, { ...network, chain, blockchainId: chain })
    hash.update(JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
    if (chain === 'P') for (const row of rows.outputs) batcher.append(row)
  }
}
for (const { ipc } of batcher.drain()) hash.update(ipc)
console.log(JSON.stringify({ isMainThread, generates: generatedCellTaker(['a']) !== null, rows: hash.digest('hex') }))
if (isMainThread) new Worker(new URL(import.meta.url))
