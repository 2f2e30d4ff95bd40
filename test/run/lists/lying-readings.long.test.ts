import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { addressBalancesPipeline } from '../../../pipelines/address-balances.ts'
import { blockchainsPipeline } from '../../../pipelines/blockchains.ts'
import { subnetsPipeline } from '../../../pipelines/subnets.ts'
import { utxoSetPipeline } from '../../../pipelines/utxo-set.ts'
import { validatorsPipeline } from '../../../pipelines/validators.ts'
import { validatorsAtPipeline } from '../../../pipelines/validators-at.ts'
import type { Facts, NodeCall, Pipeline, Tables } from '../../../src/define/index.ts'
import { keyText } from '../../../src/lookup/row-identity.ts'
import type { Asker } from '../../../src/run/connections/connections.ts'
import { createAsker, createConnections } from '../../../src/run/connections/connections.ts'
import { listPages } from '../../../src/run/lists/list-pages.ts'
import { testContext } from '../../decode/service/reading.ts'
import { createTally, type UnnoticedLies } from '../../unnoticed-lies.ts'
import { listOf } from './devnet-jobs.ts'

/**
 * A node lies about what its answers list: once or always, in the first, a middle and the last answer to a method. Then the reading has exactly the
 * true rows, or is refused. `unnoticed` lists the lies that no reader can tell from the truth.
 */

vi.mock('../../../src/lib/wait.ts', async (original) => ({
  ...(await original<object>()),
  pause: async () => undefined,
}))

type Json = any
/** Makes a lie of a true answer. `before` and `after` are true answers to other requests of the same method. */
type Lie = (answer: Json, told: { readonly before: Json; readonly after: Json }) => Json
type Job = readonly [pipeline: Pipeline, values: (of: Known) => object]
type Known = { readonly p: readonly string[]; readonly height: string }

const jobs: Readonly<Record<string, Job>> = {
  UTXOs: [utxoSetPipeline, ({ p }) => ({ addresses: p, limit: 20 })],
  'atomic UTXOs': [utxoSetPipeline, ({ p }) => ({ addresses: p, 'source-chain': 'C', limit: 10 })],
  validators: [validatorsPipeline, () => ({})],
  delegators: [validatorsPipeline, () => ({ delegators: true })],
  'validators at a height': [validatorsAtPipeline, ({ height }) => ({ heights: [height] })],
  subnets: [subnetsPipeline, () => ({})],
  blockchains: [blockchainsPipeline, () => ({})],
  balances: [addressBalancesPipeline, ({ p }) => ({ addresses: p.slice(0, 6) })],
}

/** Changes the list of an answer: of items, or of fields that are named by their items. */
const listed =
  (change: (items: readonly Json[]) => unknown): Lie =>
  (answer) => {
    const name = ['utxos', 'validators', 'subnets', 'blockchains', 'balances'].find((field) =>
      Object.hasOwn(answer, field),
    )
    const list = name === undefined ? answer : answer[name]
    const changed = Array.isArray(list) ? change(list) : change(Object.entries(list))
    const told: Json = Array.isArray(list) || !Array.isArray(changed) ? changed : Object.fromEntries(changed)
    // Fewer UTXOs are counted.
    return name === undefined
      ? told
      : { ...answer, [name]: told, ...(name === 'utxos' && { numFetched: `${told?.length ?? 0}` }) }
  }
const field =
  (name: string, change: (value: Json) => unknown): Lie =>
  (answer) =>
    Object.hasOwn(answer, name) ? { ...answer, [name]: change(answer[name]) } : answer
const delegators = (change: (list: readonly Json[]) => unknown) =>
  listed((items) =>
    items.map((item) => (item.delegators === undefined ? item : { ...item, delegators: change(item.delegators) })),
  )

const lies: Readonly<Record<string, Lie>> = {
  'no items': listed(() => []),
  'items: null': listed(() => null),
  'without the first item': listed((items) => items.slice(1)),
  'without the last item': listed((items) => items.slice(0, -1)),
  'half of the items': listed((items) => items.slice(0, items.length >> 1)),
  'each item twice': listed((items) => [...items, ...items]),
  'the answer before': (answer, { before }) => before ?? answer,
  'the answer after': (answer, { after }) => after ?? answer,
  'an answer without fields': () => ({}),
  'an answer that is null': () => null,
  'no end': field('endIndex', () => undefined),
  'an end that is empty': field('endIndex', () => ({ address: '', utxo: '' })),
  'the end of the answer before': (answer, { before }) =>
    field('endIndex', () => before?.endIndex ?? answer.endIndex)(answer, { before, after: null }),
  'a number that is one too high': field('numFetched', (count) => `${Number(count) + 1}`),
  'a number of 0': field('numFetched', () => '0'),
  'no delegators': delegators(() => []),
  'delegators: null': delegators(() => null),
  'no list of delegators': delegators(() => undefined),
  'without the last delegator': delegators((list) => list.slice(0, -1)),
}

const unnoticed: UnnoticedLies = [
  // Nothing shows what an answer leaves out, unless it is what each node lists.
  ['lost', /^(?:without the (?:first|last) item|half of the items|the answer after), /],
  // An observation knows nothing of earlier ones, and believes an empty page at the second answer, behind others.
  ['lost', /^(?:no items|items: null), (?:atomic )?UTXOs, .* (?:1 of .*|always)/],
  // A validator that is gone when its delegators are requested.
  ['lost', /^(?:no items|items: null), delegators, .* answer [2-9] .*, always/],
]
const tally = createTally(unnoticed)

let node: Devnet
let known: Known
let connections: ReturnType<typeof createConnections>
beforeAll(async () => {
  node = await startDevnet({ seed: 11, blocks: 400 })
  connections = createConnections({ nodeUrl: node.url, emit: () => undefined })
  known = { p: (await listOf(node, 'p')).slice(0, 40), height: '300' }
})
afterAll(async () => {
  await connections.close()
  await node.close()
})

/** The rows of a job by key. `ask` answers its requests. */
async function rowsOf([pipeline, values]: Job, ask: Asker['ask']): Promise<string[]> {
  // Public networks always have validators.
  const { node, ask: question } = connections.facts
  const network = pipeline === validatorsPipeline || pipeline === validatorsAtPipeline ? { network: 'fuji' } : {}
  const facts = { node: async () => ({ ...(await node()), ...network }), ask: question } as Facts
  const rows = new Set<string>()
  const add = (tables: Tables, own: Json) => {
    for (const [name, table] of Object.entries(tables)) for (const row of own[name] ?? []) rows.add(keyText(table)(row))
  }
  for (const { walk, tables = pipeline.tables } of await pipeline.streams(values(known) as never, facts)) {
    const signal = new AbortController().signal
    if (walk.kind === 'keyed')
      for (const { request, decode } of walk.keys)
        add(tables, (await ask(request, { parse: (answer) => decode(answer, testContext(), null) })).rows)
    if (walk.kind !== 'snapshot') continue
    for (const list of walk.subjects.flatMap(({ lists }) => lists)) {
      const pages: object[] = []
      for await (const event of listPages(list, { client: { ask }, signal, context: testContext, doubtsEnd: true })) {
        if ('restarted' in event) pages.length = 0
        else pages.push(event.page.rows)
      }
      for (const page of pages) add(tables, page)
    }
  }
  return [...rows].sort()
}

test.each(Object.keys(jobs))('lies of a node about %s', async (name) => {
  const job = jobs[name]!
  const asker = createAsker(connections)
  const answers = new Map<string, { readonly call: NodeCall; readonly answer: Json }>()
  const honest: Asker['ask'] = async (question, { parse }) => {
    const id = JSON.stringify(question)
    const answer = answers.get(id)?.answer ?? (await asker.ask(question, { parse: (answer) => answer }))
    answers.set(id, { call: question as NodeCall, answer })
    return parse(structuredClone(answer))
  }
  const truth = await rowsOf(job, honest)
  expect(truth.length).toBeGreaterThan(2)
  const unexpected: string[] = []
  const all = [...answers]
  for (const [id, { call, answer }] of all) {
    const same = all.filter(([, other]) => other.call.method === call.method)
    const place = same.findIndex(([other]) => other === id)
    if (![0, 1, same.length - 2, same.length - 1].includes(place)) continue
    const told = { before: same[place - 1]?.[1].answer, after: same[place + 1]?.[1].answer }
    for (const [lie, tell] of Object.entries(lies))
      for (const [often, times] of [['once', 1] as const, ['always', Number.POSITIVE_INFINITY] as const]) {
        let left = times
        const said = JSON.stringify(tell(structuredClone(answer), told))
        if (said === JSON.stringify(answer)) continue
        const found = await rowsOf(job, async (question, options) => {
          if (JSON.stringify(question) !== id || left-- <= 0) return honest(question, options)
          return options.parse(JSON.parse(said))
        }).catch((error) => (error as { readonly code?: string }).code ?? `${error}`)
        if (typeof found === 'string' && /^[a-z]+\.[a-z-]+$/.test(found)) continue
        if (JSON.stringify(found) === JSON.stringify(truth)) continue
        const outcome = typeof found === 'string' ? found : found.every((row) => truth.includes(row)) ? 'lost' : 'false'
        const text = `${lie}, ${name}, ${call.method}, answer ${place + 1} of ${same.length}, ${often}`
        if (!tally.isKnown(outcome, text)) unexpected.push(`${outcome}: ${text}`)
      }
  }
  expect(unexpected).toEqual([])
})

test('each lie that goes unnoticed was told', () => {
  expect(tally.untold()).toEqual([])
})
