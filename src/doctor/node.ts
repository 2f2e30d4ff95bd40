import { type Catalog, type LakeStatus, verifySameNetwork } from '../catalog/catalog.ts'
import type { Connection } from '../define/connection.ts'
import { type NetworkIdentity, theNode } from '../define/index.ts'
import { ChainlakeError } from '../errors.ts'
import { callRpc } from '../fetch/json-rpc.ts'
import type { Connections } from '../run/connections/connections.ts'
import { fieldOf } from '../sources/field-of.ts'
import { askNode, spellingAt } from '../sources/node-client.ts'
import { readHealth } from '../sources/node-health.ts'
import { type Check, checkOfError, good, notice } from './check.ts'
import { checkClock } from './clock.ts'

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
export function anyAnswer(connection: Connection, path: string) {
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
