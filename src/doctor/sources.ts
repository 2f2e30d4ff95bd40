import { type Catalog, type LakeStatus, verifySameNetwork } from '../catalog/catalog.ts'
import type { Answer, Connection } from '../define/connection.ts'
import { type NetworkIdentity, theNode } from '../define/index.ts'
import { ChainlakeError } from '../errors.ts'
import { callRpc } from '../fetch/json-rpc.ts'
import { createTransport } from '../fetch/transport.ts'
import { durationText } from '../lib/text/duration-text.ts'
import type { Connections } from '../run/connections/connections.ts'
import { accountOf } from '../run/connections/daily-budget.ts'
import { evmNetworkName } from '../sources/evm-chain.ts'
import { fieldOf } from '../sources/field-of.ts'
import { askNode, spellingAt } from '../sources/node-client.ts'
import { readHealth } from '../sources/node-health.ts'
import type { ServiceHost } from '../sources/service/service-host.ts'
import { bad, type Check, checkOfError, good, notice } from './check.ts'

type KnownLake = { readonly catalog: Catalog | null; readonly status: LakeStatus | null }

/** Checks the identity and the health of the node, for all jobs that read it. */
export async function checkNode(connections: Connections, lake: KnownLake): Promise<Check[]> {
  const connection = connections.connection(theNode)
  const about = `node ${connection.url}`
  try {
    const clock = checkClock(about, await anyAnswer(connection, '/ext/health'))
    const identity = await connections.facts.node()
    const others = [
      identityCheck(about, identity, await versionOf(connection)),
      ...(await lakeChecks(about, identity, lake)),
    ]
    return [
      ...others,
      ...clock,
      ...(await bootstrapChecks(about, connection)),
      ...(await healthChecks(about, connection)),
      ...(await nameChecks(about, connection)),
    ]
  } catch (error) {
    return [checkOfError(about, error)]
  }
}

/** Any answer, whatever its status: the server is reachable, and its clock is known. */
function anyAnswer(connection: Connection, path: string) {
  return connection.request({ method: 'GET', path, accept: () => true })
}

function identityCheck(about: string, { network, networkId, warnings }: NetworkIdentity, version: string): Check {
  const who = `It belongs to ${network} (network id ${networkId})${version}.`
  if (warnings.length === 0) return good(about, 'doctor.network', who)
  const todo = 'Run chainlake doctor again when the node has caught up, or start the node with --api-info-enabled=true.'
  return notice(about, 'doctor.network', [who, ...warnings].join(' '), todo)
}

async function versionOf(connection: Connection): Promise<string> {
  const version = await optional(callRpc(connection, '/ext/info', 'info.getNodeVersion', {}))
  const text = fieldOf(version, 'version')
  return typeof text === 'string' ? ` and is ${text}` : ''
}

/** Compares the network of the node with the networks of the lake. */
async function lakeChecks(about: string, identity: NetworkIdentity, { catalog, status }: KnownLake): Promise<Check[]> {
  if (catalog === null) return []
  const known = await catalog.network(identity.network)
  try {
    if (known !== null) verifySameNetwork(known, identity)
  } catch (error) {
    return [checkOfError(about, error)]
  }
  const others = [...new Set(status?.streams.map(({ network }) => network))].filter((name) => name !== '')
  if (known !== null || others.length === 0 || others.includes(identity.network)) return []
  return [
    notice(
      about,
      'doctor.other-network',
      `The lake holds ${others.join(', ')}; a run would add ${identity.network}.`,
      'A lake may hold several networks. Otherwise give --node-url of a node of the right network, or another --lake.',
    ),
  ]
}

async function bootstrapChecks(about: string, connection: Connection): Promise<Check[]> {
  const chains = ['P', 'X', 'C']
  const answers = await Promise.all(
    chains.map((chain) => optional(callRpc(connection, '/ext/info', 'info.isBootstrapped', { chain }))),
  )
  const behind = chains.filter((_, position) => fieldOf(answers[position], 'isBootstrapped') === false)
  if (behind.length === 0) return []
  return [
    notice(
      about,
      'transport.bootstrapping',
      `It is still bootstrapping ${behind.join(', ')}: its index answers up to its present height, the chains themselves do not.`,
      'Reading by RPC has to wait until the node has caught up. Data from the index is right before that, too.',
    ),
  ]
}

async function healthChecks(about: string, connection: Connection): Promise<Check[]> {
  const { healthy, reason } = await readHealth(connection)
  if (healthy) return []
  return [
    notice(
      about,
      'doctor.health',
      `It reports that it is unhealthy: ${reason}.`,
      'Check the log of the node. Its index still answers: a run works, but may be behind the chain.',
    ),
  ]
}

/** Calls that show by which name a node knows a namespace. */
const namespaces = [
  { path: '/ext/bc/X', namespace: 'xvm', method: 'xvm.getHeight', params: {}, node: 'avm', chain: 'X' },
  {
    path: '/ext/bc/C/cx',
    namespace: 'cx',
    method: 'cx.getAtomicTxStatus',
    params: { txID: '11111111111111111111111111111111LpoYY' },
    node: 'avax',
    chain: 'C',
  },
] as const

/** The names by which the node knows the namespaces with two names; a run finds them out by itself. */
async function nameChecks(about: string, connection: Connection): Promise<Check[]> {
  const said: string[] = []
  const silent: string[] = []
  for (const { path, namespace, method, params, node, chain } of namespaces) {
    await optional(
      askNode(connection, { host: 'node', endpoint: theNode, path, method, params }, { parse: (answer) => answer }),
    )
    const spelling = spellingAt(connection, path, namespace)
    if (spelling === null) silent.push(`${chain} (${path}, ${namespace} or ${node})`)
    else said.push(spelling === 'node' ? node : namespace)
  }
  return [
    ...(said.length === 0 ? [] : [good(about, 'doctor.names', `Its namespaces are called ${said.join(' and ')}.`)]),
    ...(silent.length === 0
      ? []
      : [
          notice(
            about,
            'doctor.names',
            `It does not answer for ${silent.join(' and ')}.`,
            'Only jobs that read these chains by RPC need them: wait until the node has caught up, or check whether it serves these APIs.',
          ),
        ]),
  ]
}

/** The answer, or null when the request fails. */
async function optional<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking
  } catch (error) {
    if (error instanceof ChainlakeError) return null
    throw error
  }
}

/** Checks the JSON-RPC of an EVM chain at a URL, whatever node is behind it. The checks of jobs find out which blocks it has. */
export async function checkChain(connections: Connections, url: string): Promise<Check[]> {
  const connection = connections.connection({ url })
  const about = `chain ${connection.url}`
  const route = new URL(url).pathname.endsWith('/') ? '/' : ''
  const ask = (method: string): Promise<unknown> => callRpc(connection, route, method, [])
  const optional = (method: string): Promise<unknown> =>
    ask(method).catch((error: unknown) => {
      if (error instanceof ChainlakeError) return null
      throw error
    })
  try {
    const chainId = String(await ask('eth_chainId'))
    const version = await optional('web3_clientVersion')
    const syncing = await optional('eth_syncing')
    const who = /^0x[0-9a-f]+$/i.test(chainId)
      ? `It serves chain ${BigInt(chainId)} (network ${evmNetworkName(BigInt(chainId))})`
      : `It answers to eth_chainId, but not with a number`
    return [
      good(about, 'doctor.network', `${who}${typeof version === 'string' ? ` and is ${version}` : ''}.`),
      ...checkClock(about, await anyAnswer(connection, route)),
      ...(syncing !== null && typeof syncing === 'object'
        ? [
            notice(
              about,
              'transport.bootstrapping',
              'It is still synchronizing (eth_syncing).',
              'A run reads what the node has. Run again when it has caught up.',
            ),
          ]
        : []),
    ]
  } catch (error) {
    return [checkOfError(about, error)]
  }
}

/** Checks whether hosts answer, and how much of their daily budget is left. The checks of jobs find out what a key may do. */
export async function checkHosts(hosts: readonly ServiceHost[], catalog: Catalog | null): Promise<Check[]> {
  const checks: Check[] = []
  for (const host of hosts) {
    const transport = createTransport({ baseUrl: host.url, tries: 2 })
    const about = `service ${transport.url}`
    try {
      const answer = await anyAnswer(transport, '/')
      checks.push(good(about, 'doctor.service', `It answers; ${headersText(host)}.`), ...checkClock(about, answer))
      checks.push(...(await budgetChecks(about, host, catalog)))
    } catch (error) {
      checks.push(checkOfError(about, error))
    } finally {
      await transport.close()
    }
  }
  return checks
}

function headersText({ name, headers }: ServiceHost): string {
  if (name === 'metrics') return 'it needs no key'
  const names = Object.keys(headers)
  if (names.length === 0) return 'requests are sent without a key'
  return `requests carry ${names.join(', ')}`
}

async function budgetChecks(about: string, host: ServiceHost, catalog: Catalog | null): Promise<Check[]> {
  const { unitsPerDay: perDay } = host
  if (perDay === null) return []
  const spent = catalog === null ? 0 : await catalog.units.spent(accountOf(host))
  const left = Math.max(0, perDay - spent)
  const says = `${left} of the ${perDay} units per 24 hours are left.`
  const todo = 'Wait until the budget recovers, or use a key with a larger budget and set units-per-day.'
  if (left === 0) return [bad(about, 'postponed.budget', says, todo, 7)]
  return [left < perDay / 10 ? notice(about, 'doctor.budget', says, todo) : good(about, 'doctor.budget', says)]
}

/** Accepted clock difference: the header has whole seconds, and an answer takes time. */
const tolerableMs = 30_000

/** Compares the clock of this machine with the `date` header of an answer; no check without the header. */
export function checkClock(about: string, { headers }: Pick<Answer, 'headers'>, nowMs = Date.now()): Check[] {
  const there = Date.parse(headers['date'] ?? '')
  if (Number.isNaN(there)) return []
  const ahead = nowMs - there
  if (Math.abs(ahead) <= tolerableMs) return [good(about, 'doctor.clock', 'Its clock and that of this machine agree.')]
  return [
    notice(
      about,
      'doctor.clock',
      `The clock of this machine is ${durationText(Math.abs(ahead) / 1000)} ${ahead > 0 ? 'ahead of' : 'behind'} its clock.`,
      'Set the wrong clock (NTP): waits of a service, daily budgets, ages of page tokens and times of observations depend on it.',
    ),
  ]
}
