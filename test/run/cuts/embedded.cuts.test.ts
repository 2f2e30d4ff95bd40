import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterAll, beforeAll, test, vi } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { tables } from '../../../schemas/index.ts'
import { heldTooLong, storageFailure } from '../../../src/catalog/duckdb/catalog-lock.ts'
import { createLake } from '../../catalog/lake.ts'
import { newLake } from '../lake-run.ts'
import { chosenWalks } from './chosen.ts'
import { endThread, tryCuts } from './cut-lake.ts'
import { devnetOptions, walks } from './walks.ts'

/**
 * What happens to the catalog. `held`: another process holds it for too long. `full`: the disk is full at a statement. `after`: the disk is
 * full when the committed catalog is closed.
 */
type Fault = { readonly kind: 'held' | 'full' | 'after'; readonly at: number }

const state = vi.hoisted(() => ({
  fault: null as Fault | null,
  opened: 0,
  statements: [] as string[],
  met: null as string | null,
}))
const full = () => new Error('IO Error: Could not write file "catalog.ducklake.wal": No space left on device')

vi.mock(import('../../../src/catalog/duckdb/catalog-lock.ts'), async (original) => {
  const real = await original()
  return {
    ...real,
    withCatalogLock: async (file, options, use) => {
      const isCatalog = file.endsWith('catalog.ducklake')
      const isHere = isCatalog && state.fault?.at === ++state.opened
      if (isHere && state.fault?.kind === 'held') {
        state.met = 'opening'
        throw heldTooLong(new Error('Could not set lock on file'), file, 60_000)
      }
      const result = await real.withCatalogLock(file, options, use)
      if (!isHere || state.fault?.kind !== 'after') return result
      state.met = `closing after ${state.statements.at(-1)}`
      throw storageFailure(full(), file)
    },
  }
})

vi.mock(import('../../../src/catalog/duckdb/duckdb-session.ts'), async (original) => {
  const { createSession } = await original()
  const reach = (text: string): void => {
    state.statements.push(text)
    if (state.fault?.kind !== 'full' || state.fault.at !== state.statements.length) return
    state.met = text
    throw full()
  }
  return {
    createSession: (connection, firstSql) => {
      const session = createSession(connection, firstSql)
      return {
        ...session,
        begin: async () => {
          reach('BEGIN')
          await session.begin()
        },
        rows: async (sql, parameters) => {
          reach(sql)
          return session.rows(sql, parameters)
        },
        run: async (sql, parameters) => {
          if (sql !== 'ROLLBACK') reach(sql)
          await session.run(sql, parameters)
        },
        append: async (schema, table, rows) => {
          reach(`append to ${schema}.${table}`)
          await session.append(schema, table, rows)
        },
        commitLast: async () => {
          reach('COMMIT')
          await session.commitLast()
        },
      }
    },
  }
})

let node: Devnet
beforeAll(async () => {
  node = await startDevnet(devnetOptions)
})
afterAll(async () => {
  await endThread()
  await node.close()
})

function begin(fault: Fault | null): void {
  Object.assign(state, { fault, opened: 0, statements: [], met: null })
}

async function onNewLake<T>(use: (lake: string) => Promise<T>): Promise<T> {
  const lake = newLake()
  try {
    begin(null)
    await createLake({ folder: lake }, tables)
    return await use(lake)
  } finally {
    begin(null)
    await rm(dirname(lake), { recursive: true, force: true })
  }
}

function faults() {
  const opened = Array.from({ length: state.opened }, (_, index) => index + 1)
  const first = opened.flatMap((at) => [{ kind: 'held', at } as const, { kind: 'after', at } as const])
  return { first, all: [...first, ...state.statements.map((_, index) => ({ kind: 'full', at: index + 1 }) as const)] }
}

test.each(chosenWalks(walks, 'embedded'))(
  '%s: the next run completes the lake after the catalog was locked or the disk was full at any step',
  async (name, jobsOf) => {
    const disturbance = { onNewLake, quiet: () => begin(null), cuts: faults, cut: begin, wasCut: () => state.met }
    await tryCuts(name, node, await jobsOf(node), disturbance, 2)
  },
)
