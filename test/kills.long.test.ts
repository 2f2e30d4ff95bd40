import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PQueue from 'p-queue'
import { afterAll, describe, expect, test } from 'vitest'
import { type Devnet, type DevnetOptions, startDevnet } from '../devnet/serve.ts'
import { balancesPipeline } from '../pipelines/balances.ts'
import { blockchainsPipeline } from '../pipelines/blockchains.ts'
import { cBlocksPipeline } from '../pipelines/c-blocks.ts'
import { chainMetricsPipeline } from '../pipelines/chain-metrics.ts'
import { nodeBlocksPipeline } from '../pipelines/node-blocks.ts'
import { restChainsPipeline } from '../pipelines/rest-chains.ts'
import { restIcmMessagesPipeline } from '../pipelines/rest-icm-messages.ts'
import { restTransactionsPipeline } from '../pipelines/rest-transactions.ts'
import { restUtxosPipeline } from '../pipelines/rest-utxos.ts'
import { signaturesPipeline } from '../pipelines/signatures.ts'
import { tokenTransfersPipeline } from '../pipelines/token-transfers.ts'
import { tpsPipeline } from '../pipelines/tps.ts'
import { transactionsByIdPipeline } from '../pipelines/transactions-by-id.ts'
import { verticesPipeline } from '../pipelines/vertices.ts'
import { tables } from '../schemas/index.ts'
import { openCatalog } from '../src/catalog/catalog.ts'
import { shippedLists } from '../src/config/shipped-lists.ts'
import type { Table } from '../src/define/index.ts'
import { stepNames } from '../src/lib/step.ts'
import { hiddenFiles, lakeState } from './catalog/lake-state.ts'
import { startChild } from './catalog/process.ts'
import { sql } from './catalog/sql.ts'
import { catalogProcess, emptyLake, type Killed, stateAfterKills } from './kills.ts'
import { damage, dataFiles } from './repair/damage.ts'
import { chosen } from './run/cuts/chosen.ts'
import { type ExportOptions, exportLake } from './run/export-lake.ts'
import { command, contents, newLake, query, rowSets, strayFiles, wholeLake } from './run/lake-run.ts'
import { argumentsOf, listOf, type Requested, runService, settledRows } from './run/lists/devnet-jobs.ts'

/**
 * What is killed, and at which steps: each array is the steps at which processes die, one after another on one lake. `whole`: further arrays,
 * tried with `CHAINLAKE_KILLS=all` (`.ci/full kills`). A landing kills each walk at two steps.
 */
type Row = {
  readonly killed: () => Promise<Killed>
  readonly points: readonly (readonly string[])[]
  readonly whole?: readonly (readonly string[])[]
}

const isWhole = process.env['CHAINLAKE_KILLS'] === 'all'
const stepsOf = (...prefixes: string[]): string[] =>
  stepNames.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
const alone = (points: readonly string[]): string[][] => points.map((point) => [point])

/** The simulated networks of the tests, each started once. */
const networks = new Map<string, Promise<Devnet>>()
function network(options: DevnetOptions): Promise<Devnet> {
  const key = JSON.stringify(options)
  const started = networks.get(key) ?? startDevnet(options)
  networks.set(key, started)
  return started
}
afterAll(async () => {
  for (const node of networks.values()) await (await node).close()
})

async function succeed(args: readonly string[]): Promise<void> {
  const { code, stderr } = await command(args)
  expect(code, stderr).toBe(0)
}

const runCommand = (args: readonly string[], dieAt?: string) =>
  command(args, dieAt === undefined ? {} : { CHAINLAKE_DIE_AT: dieAt })

/** Commits of units, observations and lists in the catalog. Kills occur in the second unit, so each process resumes from a different commit. */
const commitSteps = stepsOf('commit.').filter((name) => name !== 'commit.after-removal')
const exportSteps = [
  'run.registered',
  'commit.before-open#2',
  'commit.before-begin#2',
  'recovery.before-removal',
  'recovery.after-removal',
  'commit.after-files#2',
  'commit.after-coverage#2',
  'commit.after-commit#2',
  'commit.after-close#2',
  'publish.after-catalog-copy',
  'publish.after-catalog-rename',
  'run.before-end',
  'run.after-end',
]
const stageSteps = [
  'observation.before-open',
  'observation.after-open',
  'stage.before-open#2',
  'stage.before-begin#2',
  'stage.after-parts#2',
  'stage.after-commit#2',
  'stage.after-close#2',
]
const restarts = ['restart.after-commit', 'restart.after-removal'].map((step) => ['stage.after-close#2', step])
/** Steps until the commit of an observation, one after the other; of later steps each needs a lake of its own, since nothing is left to do. */
const untilCommit = [commitSteps.slice(0, commitSteps.indexOf('commit.after-commit') + 1)]
const afterCommit = alone(['commit.after-close', 'commit.after-removal'])

const catalogRows: Record<string, Row> = {
  'commits of units': {
    killed: async () => catalogProcess(['export', 'P', '100', '10']),
    points: [exportSteps],
    whole: alone(exportSteps.filter((step) => !step.startsWith('recovery.'))),
  },
  'an observation that resumes': {
    killed: async () => catalogProcess(['observe', '11', 'keep']),
    points: [[...stageSteps, 'stage.after-commit', 'stage.after-parts', 'stage.after-commit']],
  },
  'an observation that completes': {
    killed: async () => catalogProcess(['observe', '2', 'keep']),
    points: untilCommit,
    whole: afterCommit,
  },
  'an observation that discards what it staged': {
    killed: async () => catalogProcess(['observe', '2', 'discard']),
    points: [],
    whole: [...untilCommit, ...afterCommit],
  },
  'an observation that restarts': {
    killed: async () => catalogProcess(['observe', '3', 'restart']),
    points: restarts,
  },
  'segments of a list': {
    killed: async () => catalogProcess(['walk-list', '100']),
    points: [commitSteps.slice(1).map((step) => `${step}#2`)],
  },
}

/** Runs of a range. */
const unit = 80
const rangeSteps = [
  'fetch.before#2',
  'fetch.after#2',
  'write.before-open#9',
  'write.after-open#9',
  'write.after-batch#9',
  'write.before-fsync#9',
  'write.between-fsyncs#9',
  'write.after-fsync#9',
  'publish.before',
  'publish.after-views-build',
  'publish.after-views-rename',
  'publish.after-views-text',
]

/** `p-blocks` of some blocks; the lake already has those below `known`. */
async function range(blocks: number, known: number): Promise<Killed> {
  const node = await network({ seed: 7, blocks })
  const args = ['run', 'p-blocks', '--node-url', node.url, '--unit', String(unit), '--raw', '--log-level', 'error']
  return {
    newLake: async () => {
      const lake = newLake()
      if (known > 0) await exportLake({ node, lake, unit, raw: true, to: known })
      return lake
    },
    work: (lake, dieAt) => runCommand([...args, '--lake', lake], dieAt),
    state: wholeLake,
  }
}
const eachTime = (names: readonly string[], times: readonly number[]) =>
  alone(names.flatMap((name) => times.map((time) => `${name}#${time}`)))

const rangeRows: Record<string, Row> = {
  'a run over a range': { killed: () => range(unit * (rangeSteps.length + 1), 0), points: [rangeSteps] },
  'a run over two units, at each step': {
    killed: () => range(2 * unit, 0),
    points: [],
    whole: [
      ...eachTime(stepsOf('fetch.'), [1, 2]),
      ...eachTime(stepsOf('write.'), [1, 12]),
      // One earlier commit is for the table `chains`.
      ...eachTime(commitSteps, [1, 3]),
      ...alone(stepsOf('run.', 'publish.')),
      ...stepsOf('recovery.').map((step) => ['commit.after-coverage#2', step]),
    ],
  },
  'a run that publishes views again': {
    killed: () => range(2 * unit, unit),
    points: [],
    whole: alone(stepsOf('publish.')),
  },
}

/** Walks over lists. */
const evm = { network: 'local', 'chain-id': '43112', 'unit-pages': 3, 'page-size': 20 }
const primary = { network: 'local', 'unit-pages': 3, 'page-size': 20 }

/** A job of each kind of walk. Each is small but commits several times. */
const jobs: Readonly<Record<string, (node: Devnet) => Promise<Requested>>> = {
  pageChain: async () => ({ pipeline: restTransactionsPipeline, values: { ...primary, blockchain: 'p-chain' } }),
  'pageChain of versions': async () => ({ pipeline: restIcmMessagesPipeline, values: { ...primary, 'page-size': 5 } }),
  oldestFirst: async () => {
    const values = { ...primary, blockchain: 'p-chain', 'sort-order': 'asc' }
    return { pipeline: restTransactionsPipeline, values }
  },
  blockWindow: async (node) => {
    const contracts = await listOf(node, 'contracts')
    return { pipeline: tokenTransfersPipeline, values: { ...evm, contracts } }
  },
  timeWindow: async (node) => {
    const nodeIds = (await listOf(node, 'nodes')).slice(0, 6)
    const values = { ...primary, blockchain: 'p-chain', 'node-ids': nodeIds, 'start-timestamp': 1761955200 }
    return { pipeline: nodeBlocksPipeline, values }
  },
  heightRange: async () => {
    const values = { ...primary, blockchain: 'x-chain', 'from-height': 0, 'to-height': 60 }
    return { pipeline: verticesPipeline, values }
  },
  'snapshot of versions': async (node) => {
    const addresses = await listOf(node, 'p')
    return { pipeline: restUtxosPipeline, values: { ...primary, blockchain: 'p-chain', addresses } }
  },
  'snapshot of observations': async (node) => {
    const wallets = (await listOf(node, 'evm')).slice(0, 10)
    return { pipeline: balancesPipeline, values: { ...evm, wallets } }
  },
  snapshot: async () => ({ pipeline: restChainsPipeline, values: { network: 'local' } }),
  series: async () => ({ pipeline: tpsPipeline, values: { network: 'local', 'chain-id': '43112' } }),
  'series by month': async () => ({
    pipeline: chainMetricsPipeline,
    values: { network: 'local', 'chain-id': '43112', interval: 'month', 'page-size': 1 },
  }),
  keyed: async () => ({
    pipeline: signaturesPipeline,
    values: { network: 'local', 'unit-pages': 3, messages: ['0x0001', '0x0002', '0x0003', '0x0004', '0x0005'] },
  }),
  'list whose items are asked for': async () => ({ pipeline: blockchainsPipeline, values: { 'unit-pages': 2 } }),
  'keyed in several calls': async (node) => {
    const lake = newLake()
    await runService(node, lake, [{ pipeline: cBlocksPipeline, values: { to: 60 } }])
    const rows = await query(lake, 'select distinct tx_id from c_atomic_transactions order by 1 limit 9')
    const ids = rows.map((row) => String(row['tx_id']))
    return { pipeline: transactionsByIdPipeline, values: { 'tx-ids': ids, chain: 'C', 'unit-pages': 3 } }
  },
}

/**
 * Steps in the first unit or observation while another unit is in progress: when the files are complete, during the commit, and when the commit
 * is durable. The rows of the catalog cover kills inside of it.
 */
const commits = ['commit.before-begin', 'commit.after-coverage', 'commit.after-close']
const pages = ['page.read#2', 'page.read#5', 'write.after-fsync', ...commits]
const windows = ['page.read#5', 'write.after-fsync', ...commits.slice(1)]
const snapshots = ['page.read#5', 'stage.after-parts#2', 'stage.after-close', ...commits]
const listSteps: Readonly<Record<string, readonly string[]>> = {
  pageChain: pages,
  'pageChain of versions': pages,
  oldestFirst: pages,
  blockWindow: ['page.read#2', ...windows],
  timeWindow: windows,
  heightRange: windows,
  'snapshot of versions': snapshots,
  'snapshot of observations': snapshots,
  snapshot: ['page.read', ...commits.slice(1)],
  series: ['page.read', ...commits.slice(1)],
  'series by month': ['page.read#3', ...commits.slice(1)],
  keyed: ['page.read#2', ...commits.slice(1)],
  'list whose items are asked for': [
    'page.read#2',
    'page.read#4',
    'stage.after-parts',
    'stage.after-close',
    ...commits,
  ],
  'keyed in several calls': ['page.read#2', 'page.read#8', ...commits.slice(1)],
}

/** A run of one list. The state is its rows: other processes may have divided them into other files. */
function listRun(node: Devnet, requested: Requested): Killed {
  const own = Object.values<Table>(requested.pipeline.tables)
  return {
    newLake: async () => newLake(),
    work: async (lake, dieAt) => {
      if (dieAt !== undefined) return runCommand(argumentsOf(requested, node, lake), dieAt)
      await runService(node, lake, [requested])
      return { code: 0, signal: null }
    },
    state: async (lake) => {
      const rows = await settledRows(lake, own)
      expect(JSON.stringify(rows)).toMatch(/"rows":[1-9]/)
      return { rows, stray: await strayFiles(lake) }
    },
  }
}

/** Walks that differ from another one in what they read, not in how they commit. */
const variants = [
  'pageChain of versions',
  'snapshot of observations',
  'series by month',
  'list whose items are asked for',
  'keyed in several calls',
]

function sampleOf(name: string): readonly string[] {
  const steps = listSteps[name] ?? []
  const ofCommit = steps.filter((step) => commits.includes(step))
  return chosen(name, ofCommit, steps, 2)
}

const listRows: Record<string, Row> = Object.fromEntries(
  Object.entries(jobs).map(([name, job]) => [
    `a walk: ${name}`,
    {
      killed: async () => {
        const node = await network({ seed: 9, blocks: 250, legacy: true })
        return listRun(node, await job(node))
      },
      points: variants.includes(name) ? [] : [sampleOf(name)],
      whole: [listSteps[name] ?? []],
    },
  ]),
)

/** The lists that chainlake ships. They are read by the walks above. */
const shippedSteps = [
  'page.read',
  'commit.before-begin',
  'commit.after-coverage',
  'commit.after-close',
  'write.before-fsync',
  'write.after-fsync',
  'commit.after-files',
  'commit.after-commit',
  'publish.after-views-build',
  'run.before-end',
]
const shippedRows: Record<string, Row> = Object.fromEntries(
  shippedLists().map((pipeline) => [
    `the shipped list ${pipeline.name}`,
    {
      killed: async () => {
        const metrics = pipeline.name === 'network-metrics' ? { metrics: ['delegatorCount', 'validatorWeight'] } : {}
        return listRun(await network({ seed: 5, blocks: 900 }), { pipeline, values: { network: 'local', ...metrics } })
      },
      points: [],
      whole: alone(shippedSteps),
    },
  ]),
)

/** Commands on a lake. `prepare` brings a new lake of 160 blocks into the state before the command. */
async function onLake(
  prepare: (lake: string, options: ExportOptions) => Promise<void>,
  { work, state }: Pick<Killed, 'work' | 'state'>,
): Promise<Killed> {
  const node = await network({ seed: 7, blocks: 160 })
  return {
    newLake: async () => {
      const lake = newLake()
      await prepare(lake, { node, lake, unit: 40, raw: true })
      return lake
    },
    work,
    state,
  }
}

const compact = (lake: string, dieAt?: string) => runCommand(['compact', '--lake', lake], dieAt)
const expire = (lake: string, dieAt?: string) => runCommand(['expire', '--older-than', '0s', '--lake', lake], dieAt)

/** Rows, partitions of files, and stray files. */
async function mergedState(lake: string) {
  const { tables: known } = await (await openCatalog({ folder: lake }, tables)).files()
  const files = known.flatMap(({ name, files }) => files.map(({ partition }) => `${name} ${partition.join('/')}`))
  return { rows: await rowSets(lake), files: files.sort(), stray: await strayFiles(lake) }
}

/** A node with some damaged files in its lake; `repair` and a run restore every row. */
async function repairing(): Promise<Killed> {
  const node = await network({ seed: 17, blocks: 80 })
  const damaged = newLake()
  for (const to of [40, 80]) await exportLake({ node, lake: damaged, unit: 20, to })
  for (const [at, path] of dataFiles(damaged).entries())
    if (at % 3 === 0) damage(damaged, path, at % 2 === 0 ? 'gone' : 'byte', { random: () => 0.4, other: '' })
  return {
    newLake: async () => {
      const lake = newLake()
      cpSync(damaged, lake, { recursive: true })
      return lake
    },
    work: (lake, dieAt) => runCommand(['repair', '--lake', lake], dieAt),
    state: async (lake) => {
      // The views show the remaining rows, whichever repair published them.
      for (const name of ['p_blocks', 'p_outputs']) await query(lake, `from ${name}`)
      await exportLake({ node, lake, unit: 20 })
      await succeed(['verify', '--lake', lake])
      // Damaged files that a killed repair removed from the catalog stay until expire.
      return { rows: await rowSets(lake), left: (await strayFiles(lake)).filter((path) => !path.startsWith('data/')) }
    },
  }
}

const backupFolder = new Map<string, string>()
const backupOf = (lake: string): string => {
  const folder = backupFolder.get(lake) ?? mkdtempSync(join(tmpdir(), 'chainlake-backup-'))
  backupFolder.set(lake, folder)
  return folder
}
const backup = (lake: string, dieAt?: string) => runCommand(['backup', backupOf(lake), '--lake', lake], dieAt)
const restore = (lake: string, dieAt?: string) => runCommand(['restore', backupOf(lake), '--lake', lake], dieAt)
const breakCatalog = (lake: string) => writeFileSync(join(lake, 'catalog.ducklake'), 'nonsense '.repeat(10_000))
/** The rows after a further run, which has nothing to do. */
async function restoredState(lake: string) {
  const node = await network({ seed: 7, blocks: 160 })
  const { summary } = await exportLake({ node, lake, unit: 40, raw: true })
  expect(summary.jobs[0]).toMatchObject({ upToDate: true })
  return contents(lake)
}

const repairSteps = ['run.registered', 'repair.before-begin', 'repair.after-files', 'repair.after-coverage']
const repairedSteps = [
  'repair.after-commit',
  'repair.after-close',
  ...stepsOf('publish.'),
  'run.before-end',
  'run.after-end',
]

const commandRows: Record<string, Row> = {
  // Each kill except those before a commit uses up one merge, so there must be more merges than kills.
  compact: {
    killed: () => onLake(async (_, options) => void (await exportLake(options)), { work: compact, state: mergedState }),
    points: [
      [
        'compact.before-read',
        'write.after-open#2',
        'write.between-fsyncs',
        'compact.after-write#2',
        'compact.before-begin',
        'compact.after-files#2',
        'compact.after-commit',
        'compact.after-close',
        'publish.after-catalog-rename',
      ],
    ],
  },
  expire: {
    killed: () =>
      onLake(
        async (lake, options) => {
          await exportLake(options)
          await succeed(['compact', '--lake', lake])
        },
        { work: expire, state: mergedState },
      ),
    points: [
      ['expire.before-begin', 'expire.after-files', 'expire.after-commit', 'expire.after-close', 'expire.after-mark'],
    ],
  },
  'expire of files that were replaced a day ago': {
    killed: () =>
      onLake(
        async (lake, options) => {
          await exportLake(options)
          await succeed(['compact', '--lake', lake])
          await succeed(['expire', '--older-than', '0s', '--lake', lake])
          const earlier = await hiddenFiles(await openCatalog({ folder: lake }, tables))
          expect(earlier.length).toBeGreaterThan(0)
          await sql(
            lake,
            "UPDATE main.ducklake_files_scheduled_for_deletion SET schedule_start = schedule_start - INTERVAL '25 hours'",
          )
        },
        {
          work: expire,
          state: async (lake) => {
            expect(await hiddenFiles(await openCatalog({ folder: lake }, tables))).toEqual([])
            return mergedState(lake)
          },
        },
      ),
    points: [],
    whole: [['expire.after-removal']],
  },
  // Sixteen commits fill a level. Each later round adds one commit more.
  'run --compact': {
    killed: async () => {
      const { url } = await network({ seed: 7, blocks: 160 })
      const args = ['run', 'p-blocks', '--node-url', url, '--unit', '8', '--compact']
      const ends = new Map([
        ['compact.after-write', '136'],
        ['compact.after-files', '144'],
        ['compact.after-commit', '152'],
      ])
      return {
        newLake: async () => newLake(),
        work: (lake, dieAt) => {
          const to = ends.get(dieAt ?? '')
          return runCommand([...args, '--lake', lake, ...(to === undefined ? [] : ['--to', to])], dieAt)
        },
        state: async (lake) => ({ rows: await rowSets(lake), stray: await strayFiles(lake) }),
      }
    },
    points: [['compact.after-write', 'compact.after-files', 'compact.after-commit']],
  },
  repair: {
    killed: repairing,
    points: [[...repairSteps, 'repair.after-commit']],
    whole: alone([...repairSteps, ...repairedSteps]),
  },
  backup: {
    killed: () =>
      onLake(async (_, options) => void (await exportLake(options)), {
        work: backup,
        state: async (lake) => {
          breakCatalog(lake)
          await succeed(['restore', backupOf(lake), '--lake', lake])
          return restoredState(lake)
        },
      }),
    points: [stepsOf('backup.')],
  },
  restore: {
    killed: () =>
      onLake(
        async (lake, options) => {
          await exportLake(options)
          await succeed(['backup', backupOf(lake), '--lake', lake])
          breakCatalog(lake)
        },
        { work: restore, state: restoredState },
      ),
    points: [stepsOf('restore.')],
  },
}

const rows = { ...catalogRows, ...rangeRows, ...listRows, ...shippedRows, ...commandRows }
const tried = Object.entries<Row>(rows)
  .map(([name, { killed, points, whole = [] }]) => ({ name, killed, points: isWhole ? [...points, ...whole] : points }))
  .filter(({ points }) => points.length > 0)

/** Two at a time, regardless of the concurrency of the test runner. */
const queue = new PQueue({ concurrency: 2 })

test('every kind of walk is killed', () => {
  expect(Object.keys(listSteps)).toEqual(Object.keys(jobs))
})

describe('after kills the state is that without a kill:', () => {
  test.concurrent.each(tried)('$name', ({ killed, points }) =>
    queue.add(async () => {
      const each = await killed()
      const quiet = await stateAfterKills(each, [])
      for (const killedAt of points) expect(await stateAfterKills(each, killedAt), killedAt.join()).toEqual(quiet)
    }),
  )
})

describe('a process that is killed at any moment', () => {
  test('leaves a readable catalog with complete commits only', async () => {
    const lake = await emptyLake()
    for (let round = 0; round < 8; round++) {
      const child = startChild(['export', lake, 'P', '100000', '10'])
      await child.waitFor('committed')
      await new Promise((resolve) => setTimeout(resolve, 150 * Math.random()))
      child.process.kill('SIGKILL')
      await child.ended
      const last = Math.max(...child.said.map((message) => message['committed'] ?? 0))
      const [stream] = (await (await openCatalog({ folder: lake }, tables)).status()).streams
      const ends = stream?.tables.map((table) => [table.slices.length, table.slices[0]?.from, table.rows])
      const to = stream?.tables[0]?.slices[0]?.to ?? 0
      expect(ends).toEqual([
        [1, 0, to],
        [1, 0, to],
      ])
      // Reported commits are in the catalog. A commit that has not been reported yet may be there, too.
      expect([last, last + 10]).toContain(to)
    }
  })

  test('loses nothing of its own or of a concurrent process', async () => {
    const lake = await emptyLake()
    const work = async (chain: string) => {
      for (let kills = 0; ; kills++) {
        const child = startChild(['export', lake, chain, '200', '10'])
        await child.waitFor('run')
        if (kills < 4) setTimeout(() => child.process.kill('SIGKILL'), 400 * Math.random())
        const { code } = await child.ended
        expect(child.said.filter((message) => 'error' in message)).toEqual([])
        if (code === 0) return
      }
    }
    await Promise.all([work('P'), work('X')])
    // An undisturbed run at the end recovers the state after the last kill.
    expect((await startChild(['export', lake, 'P', '200', '10']).ended).code).toBe(0)
    const { stray, leftovers, streams } = await lakeState(lake)
    expect({ stray, leftovers }).toEqual({ stray: [], leftovers: [] })
    const whole = [[{ from: 0, to: 200 }], 200]
    expect(streams.map(({ stream, tables: own }) => [stream, own.map((table) => [table.slices, table.rows])])).toEqual(
      ['local/P/block', 'local/X/block'].map((stream) => [stream, [whole, whole]]),
    )
  })
})
