import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { tables } from '../../../schemas/index.ts'
import { closeServer } from '../../../src/catalog/postgres/server.ts'
import { createLake } from '../../catalog/lake.ts'
import { ask, newDatabase } from '../../catalog/postgres/database.ts'
import { newLake } from '../lake-run.ts'
import { chosenWalks } from './chosen.ts'
import { endThread, tryCuts } from './cut-lake.ts'
import { type Cut, type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts'
import { devnetOptions, walks } from './walks.ts'

const server = process.env['CHAINLAKE_POSTGRES'] ?? ''
let node: Devnet
let proxy: CuttingProxy
beforeAll(async () => {
  node = await startDevnet(devnetOptions)
  proxy = await startCuttingProxy(server)
})
afterAll(async () => {
  await endThread()
  await proxy.close()
  await node.close()
})

/** A lake with a separate database, which is reached through the proxy. */
async function onNewLake<T>(use: (lake: string) => Promise<T>): Promise<T> {
  const { pathname } = new URL(await newDatabase())
  const url = new URL(proxy.url)
  url.pathname = pathname
  const lake = newLake()
  try {
    proxy.quiet()
    await createLake({ folder: lake, catalog: url.href }, tables)
    // Statements that the server has not received yet do not belong to the run.
    await closeServer(url.href)
    return await use(lake)
  } finally {
    proxy.quiet()
    await closeServer(url.href)
    await ask(server, `DROP DATABASE ${pathname.slice(1)} WITH (FORCE)`)
    await rm(dirname(lake), { recursive: true, force: true })
  }
}

/** The most important statements: the end of transactions, and the registration of files. */
const weighty = /^COMMIT|INSERT INTO public\.ducklake_data_file\(/

function cutsOf(statements: readonly string[]) {
  const cutsAt = (kinds: readonly Cut[], isWanted: (text: string) => boolean) =>
    statements.flatMap((text, index) => (isWanted(text) ? kinds.map((cut) => ({ statement: index + 1, cut })) : []))
  const first = cutsAt(['before', 'after', 'gone'], (text) => weighty.test(text))
  return { first, all: [...first, ...cutsAt(['before', 'after'], (text) => !weighty.test(text))] }
}

test.each(chosenWalks(walks, 'postgres'))(
  '%s: the next run completes the lake after the connection broke at any statement',
  async (name, jobsOf) => {
    const disturbance = {
      onNewLake,
      quiet: proxy.quiet,
      cuts: () => cutsOf(proxy.statements()),
      cut: ({ statement, cut }: { statement: number; cut: Cut }) => proxy.cutAt(statement, cut),
      wasCut: proxy.wasCut,
    }
    await tryCuts(name, node, await jobsOf(node), disturbance, 2)
  },
)
