import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { containers } from '../schemas/lake.ts'
import { pOutputs } from '../schemas/p-chain.ts'
import { createBatcher } from '../src/batch/batcher.ts'
import type { Table } from '../src/define/index.ts'
import { openFolderStore } from '../src/store/folder-store.ts'
import { createParquetThread, type PartWriter } from '../src/write/parquet-thread.ts'

/**
 * Measures rows per second and peak memory of batching and writing alone, one table per run:
 * `node dist/bench/write.js outputs 2000000`, `node dist/bench/write.js containers 1000000`.
 */
const [what = 'outputs', count = '1000000'] = process.argv.slice(2)

const text = (seed: number, length: number): string =>
  createHash('sha512').update(String(seed)).digest('base64url').slice(0, length)
const ids = Array.from({ length: 5000 }, (_, i) => text(i, 50))
const addresses = Array.from({ length: 2000 }, (_, i) => `avax1${text(i, 39).toLowerCase()}`)
const payload = randomBytes(1 << 20)
const pick = (values: readonly string[], i: number): string => values[i % values.length] as string

/** Ids are unique, as in real data. Most of each comes from a prepared list, because random text would cost more than writing it. */
function output(i: number): object {
  const height = i >> 2
  return {
    network: 'mainnet',
    height,
    block_time: 1_650_000_000_000_000n + BigInt(height) * 2_000_000n,
    tx_index: 0,
    tx_id: `${pick(ids, height).slice(0, 42)}${String(height).padStart(8, '0')}`,
    output_index: i & 3,
    utxo_id: `${pick(ids, i).slice(0, 42)}${String(i).padStart(8, '0')}`,
    kind: (i & 3) === 3 ? 'stake' : 'transfer',
    asset_id: 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
    amount: BigInt(i) * 1_000_003n,
    addresses: [pick(addresses, i * 7919)],
    threshold: 1,
    locktime: 0n,
    stakeable_locktime: (i & 15) === 0 ? 1_700_000_000n : null,
  }
}

function container(i: number): object {
  const from = (i * 613) % (payload.length - 1500)
  return {
    network: 'mainnet',
    chain: 'P',
    container_index: i,
    container_id: `${pick(ids, i).slice(0, 42)}${String(i).padStart(8, '0')}`,
    accepted_at: 1_650_000_000_000_000n + BigInt(i) * 2_000_000n,
    accepted_at_ns: 1_650_000_000_000_000_000n + BigInt(i) * 2_000_000_000n,
    bytes: payload.subarray(from, from + 300 + ((i * 131) % 1000)),
  }
}

async function write(folder: string, table: Table, row: (i: number) => object, rows: number): Promise<void> {
  const thread = createParquetThread()
  const store = openFolderStore(folder)
  const batcher = createBatcher(table, { buffers: thread.buffers })
  const parts = new Map<string, PartWriter>()
  let files = 0
  let bytes = 0
  const started = performance.now()
  const close = async (key: string): Promise<void> => {
    const finished = await parts.get(key)?.finish()
    parts.delete(key)
    files++
    bytes += finished?.bytes ?? 0
  }
  const put = async (batch: ReturnType<typeof batcher.drain>[number]): Promise<void> => {
    const key = JSON.stringify(batch.partition)
    const part = parts.get(key) ?? thread.openPart(store, `${key}-${files}.parquet`, table)
    parts.set(key, part)
    await part.write(batch.ipc)
    if (part.bytes() > 128 * 2 ** 20) await close(key)
  }
  for (let i = 0; i < rows; i++) {
    const batch = batcher.append(row(i))
    if (batch !== null) await put(batch)
  }
  for (const batch of batcher.drain()) {
    await put(batch)
    await close(JSON.stringify(batch.partition))
  }
  for (const key of [...parts.keys()]) await close(key)
  const seconds = (performance.now() - started) / 1000
  await thread.close()
  const { user, system } = process.cpuUsage()
  const figures = {
    table: table.name,
    rows,
    files,
    megabytes: Math.round(bytes / 2 ** 20),
    seconds: Number(seconds.toFixed(2)),
    rowsPerSecond: Math.round(rows / seconds),
    cpuSeconds: Number(((user + system) / 1e6).toFixed(2)),
    peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
  }
  process.stdout.write(`${JSON.stringify(figures)}\n`)
}

const folder = await mkdtemp(join(tmpdir(), 'chainlake-bench-'))
try {
  await (what === 'containers'
    ? write(folder, containers, container, Number(count))
    : write(folder, pOutputs, output, Number(count)))
} finally {
  await rm(folder, { recursive: true, force: true })
}
