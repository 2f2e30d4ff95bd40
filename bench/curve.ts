/**
 * Measures what the commands cost as a lake grows: `node dist/bench/curve.js 500000 2000000` after `npm run bench -- starts`, which builds
 * it. Recorded blocks are served again under new numbers, so that no simulation costs time. It is not part of `npm run bench`, because
 * 500,000 blocks take minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runForText } from './measured-process.ts'
import { programs } from './programs.ts'
import { startServer } from './server-process.ts'

/** Blocks by which the chain grows after the first run: one day with a block every two seconds. */
const day = 43_200

type Step = { readonly name: string; readonly args: readonly string[] }

/** The commands to measure on a lake with this many blocks, in the order in which they run. */
function stepsOf(blocks: number, url: string, folder: string): Step[] {
  const [lake, certificate] = ['lake', 'certificate.json'].map((name) => join(folder, name))
  const of = ['--lake', lake!]
  const run = ['run', 'evm-blocks', '--chain', url, ...of]
  const middle = blocks >> 1
  const sql = (query: string) => ['sql', ...of, '--format', 'json', query]
  return [
    { name: 'run', args: [...run, '--from', '0', '--to', String(blocks)] },
    { name: 'run, nothing to do', args: [...run, '--from', '0', '--to', String(blocks)] },
    { name: 'status', args: ['status', ...of] },
    { name: 'compact', args: ['compact', ...of] },
    { name: 'verify --certificate', args: ['verify', ...of, '--certificate', certificate!] },
    { name: `run, ${day} more`, args: [...run, '--from', '0'] },
    { name: 'verify --since', args: ['verify', ...of, '--since', certificate!] },
    { name: 'sql, one block', args: sql(`SELECT * FROM evm_transactions WHERE block_number = ${middle}`) },
    { name: 'sql, a month by day', args: sql('SELECT * FROM evm_daily ORDER BY day DESC LIMIT 31') },
    {
      name: 'sql, sums of receivers',
      args: sql(
        'SELECT to_address, sum(amount_raw::DOUBLE) AS total FROM evm_token_transfers GROUP BY ALL ORDER BY total DESC LIMIT 10',
      ),
    },
    {
      name: 'sql, join of logs',
      args: sql(
        'SELECT l.address, count(*) AS n, sum(t.gas_used) AS gas FROM evm_logs l JOIN evm_transactions t USING (network, chain_id, block_number, transaction_index) GROUP BY ALL ORDER BY n DESC LIMIT 10',
      ),
    },
    { name: 'publish parquet', args: ['publish', 'parquet', ...of, '--to', join(folder, 'parquet')] },
    { name: 'report', args: ['report', ...of] },
    { name: 'backup', args: ['backup', join(folder, 'backup'), ...of] },
  ]
}

/** A line for each command. */
async function* curveLines(blocks: number): AsyncGenerator<string> {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-bench-'))
  const { url, close } = await startServer(programs.staticEvm, [String(blocks + day), 'provable'])
  try {
    for (const { name, args } of stepsOf(blocks, url, folder)) {
      const began = performance.now()
      const { cpuSeconds, peakMiB } = await runForText(programs.chainlake, [...args, '--log-level', 'error'])
      const seconds = (performance.now() - began) / 1000
      yield [
        blocks.toLocaleString('en-US').padStart(10),
        name.padEnd(24),
        `${seconds.toFixed(1).padStart(8)} s`,
        `${cpuSeconds.toFixed(1).padStart(8)} CPU s`,
        `${peakMiB.toFixed(0).padStart(5)} MiB`,
      ].join('  ')
    }
  } finally {
    close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const sizes = process.argv.slice(2).map(Number)
for (const blocks of sizes.length === 0 ? [500_000] : sizes)
  for await (const line of curveLines(blocks)) console.log(line)
