import { type Catalog, type LakeStatus, verifySameNetwork } from '../catalog/catalog.ts'
import { type NetworkIdentity, theNode } from '../define/index.ts'
import { ChainlakeError } from '../errors.ts'
import { callRpc } from '../fetch/json-rpc.ts'
import type { Transport } from '../fetch/transport.ts'
import type { Reach } from '../run/connections/reach.ts'
import { fieldOf } from '../sources/field-of.ts'
import { askNode, spellingAt } from '../sources/node-client.ts'
import { readHealth } from '../sources/node-health.ts'
import { type Check, checkOfError, good, notice } from './check.ts'
import { checkClock } from './clock.ts'

type KnownLake = { readonly catalog: Catalog | null; readonly status: LakeStatus | null }

/** Who the node is and how it is: what all jobs that read it would meet. */
export async function checkNode(reach: Reach, lake: KnownLake): Promise<Check[]> {
  const transport = reach.connection(theNode)
  const about = `node ${transport.url}`
  try {
    const clock = checkClock(about, await anyAnswer(transport, '/ext/health'))
    const identity = await reach.facts.node()
    const others = [
      identityCheck(about, identity, await versionOf(transport)),
      ...(await lakeChecks(about, identity, lake)),
    ]
    return [
      ...others,
      ...clock,
      ...(await bootstrapChecks(about, transport)),
      ...(await healthChecks(about, transport)),
      ...(await nameChecks(about, transport)),
    ]
  } catch (error) {
    return [checkOfError(about, error)]
  }
}

/** An answer with whatever status: somebody is there, and says the time. */
export function anyAnswer(transport: Transport, path: string) {
  return transport.request({ method: 'GET', path, accept: () => true })
}

function identityCheck(about: string, { network, networkId, warnings }: NetworkIdentity, version: string): Check {
  const who = `It belongs to ${network} (network id ${networkId})${version}.`
  if (warnings.length === 0) return good(about, 'doctor.network', who)
  const todo = 'Ask again when it has caught up, or start it with its info API (--api-info-enabled=true).'
  return notice(about, 'doctor.network', [who, ...warnings].join(' '), todo)
}

async function versionOf(transport: Transport): Promise<string> {
  const version = await optional(callRpc(transport, '/ext/info', 'info.getNodeVersion', {}))
  const text = fieldOf(version, 'version')
  return typeof text === 'string' ? ` and is ${text}` : ''
}

/** The network of the node beside those that the lake knows. */
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
      'Give the --node-url of a node of the network that is meant, or another --lake; lakes may hold several.',
    ),
  ]
}

async function bootstrapChecks(about: string, transport: Transport): Promise<Check[]> {
  const chains = ['P', 'X', 'C']
  const answers = await Promise.all(
    chains.map((chain) => optional(callRpc(transport, '/ext/info', 'info.isBootstrapped', { chain }))),
  )
  const behind = chains.filter((_, position) => fieldOf(answers[position], 'isBootstrapped') === false)
  if (behind.length === 0) return []
  return [
    notice(
      about,
      'transport.bootstrapping',
      `It is still bootstrapping ${behind.join(', ')}: its index answers up to where it is, the chains themselves do not.`,
      'Wait until it has caught up to read by RPC; what a run fetches from the index until then is right.',
    ),
  ]
}

async function healthChecks(about: string, transport: Transport): Promise<Check[]> {
  const { healthy, reason } = await readHealth(transport)
  if (healthy) return []
  return [
    notice(
      about,
      'doctor.health',
      `It calls itself unhealthy: ${reason}.`,
      'Look at its log; its index still answers, so that a run goes on, perhaps behind the chain.',
    ),
  ]
}

/** Calls that every node answers or refuses by their names alone. */
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

/** What the node calls the namespaces that have two names; a run finds that out by itself. */
async function nameChecks(about: string, transport: Transport): Promise<Check[]> {
  const said: string[] = []
  const silent: string[] = []
  for (const { path, namespace, method, params, node, chain } of namespaces) {
    await optional(
      askNode(transport, { host: 'node', place: theNode, path, method, params }, { parse: (answer) => answer }),
    )
    const spelling = spellingAt(transport, path, namespace)
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
            'Only jobs that read these chains by RPC need them: wait until the node has caught up, or look whether it offers them.',
          ),
        ]),
  ]
}

/** An answer that says more where there is one. */
async function optional<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking
  } catch (error) {
    if (error instanceof ChainlakeError) return null
    throw error
  }
}
