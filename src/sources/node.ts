import { type Asking, type Connection, succeeded } from '../define/connection.ts'
import type { NetworkChain, NetworkIdentity, NodeCall, NodeGet, NodeGetAnswer } from '../define/index.ts'
import { ChainlakeError, ConfigError, HttpError, OtherSourceError, RpcError, TransportError } from '../errors.ts'
import { callRpc } from '../fetch/json-rpc.ts'
import { getOrCreate } from '../lib/arrays.ts'
import { fieldOf, parseLosslessJson } from '../lib/json.ts'
import { utf8Text } from '../lib/text.ts'
import { rfc3339ToSeconds } from '../lib/time.ts'
import { addressPrefix, knownNetworks, networkName, primaryId, vmIds } from './known-networks.ts'

/** A call as a node expects it. */
type Spelling = Pick<NodeCall, 'path' | 'method' | 'params'>

type Spell = (call: NodeCall) => Spelling

/**
 * Namespaces with other names in nodes than in the specification (real-service.md (a)). `node` and `specification` spell a call of the
 * namespace; in the specification, cx and admin methods take a list (specification 1, Transport). The first call of a namespace finds out
 * which of the two a node knows, and the client remembers it.
 */
const spellings: Readonly<Record<string, { readonly node: Spell; readonly specification: Spell }>> = {
  xvm: { node: named(/^xvm\./, 'avm.'), specification: (call) => call },
  cx: { node: named(/^cx\./, 'avax.'), specification: inList },
  admin: { node: named(/^admin_/, 'admin.'), specification: inList },
}

function named(prefix: RegExp, own: string): Spell {
  return ({ path, method, params }) => ({
    path: path.replace(/\/cx$/, '/avax'),
    method: method.replace(prefix, own),
    params,
  })
}

/** The list is empty if there are no arguments. */
function inList({ path, method, params }: NodeCall): Spelling {
  return { path, method, params: Object.keys(params).length === 0 ? [] : [params] }
}

/** Spellings that an endpoint is known to accept, by path and namespace. */
const known = new WeakMap<Connection, Map<string, 'node' | 'specification'>>()

/**
 * Sends a request to a node. Returns what `parse` makes of the result of a call, or of the `NodeGetAnswer` of a GET; integers beyond 2^53 are
 * `bigint`. Throws `RpcError` if the node refuses, `HttpError` and `TransportError` if the request fails.
 */
export async function askNode<T>(connection: Connection, question: NodeCall | NodeGet, options: Asking<T>): Promise<T> {
  if (isGet(question)) return get(connection, question, options)
  const namespace = question.method.split(/[._]/)[0] ?? ''
  const spelling = spellings[namespace]
  if (spelling === undefined) return call(connection, question, options)
  const ask = (as: 'node' | 'specification') => call(connection, spelling[as](question), options)
  const remembered = getOrCreate(known, connection, () => new Map())
  const about = `${question.path} ${namespace}`
  const chosen = remembered.get(about)
  if (chosen !== undefined) return ask(chosen)
  const attempt = async (as: 'node' | 'specification'): Promise<T> => {
    try {
      const answer = await ask(as)
      remembered.set(about, as)
      return answer
    } catch (error) {
      if (error instanceof RpcError && !isUnknownName(error)) remembered.set(about, as)
      throw error
    }
  }
  return attempt('node').catch((error: unknown) => {
    if (!isUnknownName(error)) throw error
    // If the node knows neither spelling, the error about its own name is more useful.
    return attempt('specification').catch((second: unknown) => Promise.reject(isUnknownName(second) ? error : second))
  })
}

/** The spelling that an endpoint accepts for a path and namespace; null until it has accepted one. */
export function spellingAt(connection: Connection, path: string, namespace: string): 'node' | 'specification' | null {
  return known.get(connection)?.get(`${path} ${namespace}`) ?? null
}

async function call<T>(
  connection: Connection,
  { path, method, params }: Spelling,
  { signal, parse }: Asking<T>,
): Promise<T> {
  return parse(await callRpc(connection, path, method, params, { signal }))
}

async function get<T>(
  connection: Connection,
  { path, query, answers }: NodeGet,
  { signal, parse }: Asking<T>,
): Promise<T> {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const text = new URLSearchParams(pairs).toString()
  const answer = await connection.request({
    method: 'GET',
    path: text === '' ? path : `${path}?${text}`,
    label: `GET ${path}`,
    headers: { accept: 'application/json' },
    accept: (status) => succeeded(status) || answers.includes(status),
    signal,
    parse: ({ status, body }): NodeGetAnswer => {
      try {
        return { status, json: parseLosslessJson(utf8Text(body)) }
      } catch (cause) {
        throw new TransportError(`The answer to GET ${path} is not JSON.`, { code: 'transport.unreadable', cause })
      }
    },
  })
  return parse(answer)
}

function isGet(question: NodeCall | NodeGet): question is NodeGet {
  return question.method === 'GET'
}

/** The node does not know the path, service or method. */
function isUnknownName(error: unknown): boolean {
  if (!(error instanceof HttpError || error instanceof RpcError)) return false
  return error.kind === 'unsupported' || [404, 405, 501].includes(error.status)
}

type IdentifyOptions = {
  /** Required if the node does not offer `/ext/info`; otherwise it must match the network id of the node. */
  readonly networkId?: number
  readonly signal?: AbortSignal
}

/** A method of a node: its path, name and parameters. */
type Call = readonly [path: string, method: string, params: object]

/** Optional facts are not worth the long waits for a node that is bootstrapping. */
const optionalTries = 5

/**
 * Identifies the network of a node by info.getNetworkID. The other facts are constants for mainnet and fuji; other networks are queried with
 * info.getBlockchainID, platform.getBlockchains, platform.getStakingAssetID and info.upgrades. A fact that the node refuses or does not
 * offer, for instance while it is bootstrapping, becomes a warning. Without a network id and `networkId` the function throws `ConfigError`.
 * It throws `TransportError` if the node cannot be reached, and `OtherSourceError` if its answers contradict each other.
 */
export function identifyNetwork(connection: Connection, options: IdentifyOptions = {}): Promise<NetworkIdentity> {
  return identify(connection, options).catch((error: unknown) => {
    // One answer may be damaged, so that a contradiction counts only if it stays.
    if (error instanceof OtherSourceError) return identify(connection, options)
    throw error
  })
}

async function identify(connection: Connection, options: IdentifyOptions): Promise<NetworkIdentity> {
  const warnings: string[] = []
  const networkId = await readNetworkId(connection, options, warnings)
  const names = { networkId, network: networkName(networkId), hrp: addressPrefix(networkId) }
  const known = knownNetworks[networkId]
  if (known !== undefined) {
    await verifyChains(connection, names, known.chains, options.signal)
    return { ...names, ...known, warnings }
  }

  const ask = <T>(calls: readonly Call[], read: (result: unknown) => T | null) =>
    askOptional(connection, calls, read, { signal: options.signal, tries: optionalTries })
  const [x, c, blockchains, nativeAssetId, durangoTime] = await Promise.all([
    ask([['/ext/info', 'info.getBlockchainID', { alias: 'X' }]], (result) => idIn(result, 'blockchainID')),
    ask([['/ext/info', 'info.getBlockchainID', { alias: 'C' }]], (result) => idIn(result, 'blockchainID')),
    ask([['/ext/bc/P', 'platform.getBlockchains', {}]], (result) => result),
    ask(assetCalls, assetIn),
    ask([['/ext/info', 'info.upgrades', {}]], (result) => {
      const time = fieldOf(result, 'durangoTime')
      return typeof time === 'string' ? rfc3339ToSeconds(time) : null
    }),
  ])
  const isOfPublic = Object.values(knownNetworks).some(({ nativeAssetId: own }) => own === nativeAssetId)
  // Only who names the id of a fork of a public network knows it.
  if (isOfPublic && options.networkId === undefined)
    throw contradiction(connection, { 'network id stated': networkId, 'native asset of its chains': nativeAssetId })
  if (nativeAssetId === null)
    warnings.push('The node does not report its native asset: the column burned will be null.')
  if (durangoTime === null)
    warnings.push(
      'The node does not report when Durango becomes active: start times are the ones that transactions state.',
    )

  const chains: NetworkChain[] = [{ alias: 'P', blockchainId: primaryId, vmId: vmIds.P, subnetId: primaryId }]
  for (const { alias, said } of [{ alias: 'X', said: x } as const, { alias: 'C', said: c } as const]) {
    const listed = chainIn(blockchains, `${alias}-Chain`)
    const blockchainId = said ?? listed
    if (listed !== null && listed !== blockchainId)
      throw contradiction(connection, {
        [`id of the ${alias} chain by info.getBlockchainID`]: said,
        [`id of the ${alias} chain by platform.getBlockchains`]: listed,
      })
    if (blockchainId === null) warnings.push(`The node does not report the id of its ${alias} chain.`)
    else chains.push({ alias, blockchainId, vmId: vmIds[alias], subnetId: primaryId })
  }
  return { ...names, chains, nativeAssetId, durangoTime, warnings }
}

/** Methods that return the native asset of a network. */
const assetCalls: readonly Call[] = [
  ['/ext/bc/P', 'platform.getStakingAssetID', {}],
  ['/ext/bc/X', 'avm.getAssetDescription', { assetID: 'AVAX' }],
  ['/ext/bc/X', 'xvm.getAssetDescription', { assetID: 'AVAX' }],
]

function assetIn(result: unknown): string | null {
  return idIn(result, 'assetID') ?? idIn(result, 'assetId')
}

/** Throws `OtherSourceError` if a node that says that it is of a public network has another X-Chain. */
async function verifyChains(
  connection: Connection,
  { network }: Pick<NetworkIdentity, 'network'>,
  chains: readonly NetworkChain[],
  signal: AbortSignal | undefined,
): Promise<void> {
  // A gateway may refuse other paths for hours, and the run would wait. This one has just answered.
  const calls: readonly Call[] = [['/ext/info', 'info.getBlockchainID', { alias: 'X' }]]
  const said = await askOptional(connection, calls, (result) => idIn(result, 'blockchainID'), {
    signal,
    tries: 1,
  }).catch((error: unknown) => {
    if (error instanceof ChainlakeError) return null
    throw error
  })
  const own = chains.find(({ alias }) => alias === 'X')?.blockchainId
  if (said === null || said === own) return
  throw contradiction(connection, { network, 'id of its X-Chain': said, 'id of the X-Chain of the network': own })
}

function contradiction(connection: Connection, facts: ChainlakeError['details']): OtherSourceError {
  return new OtherSourceError('The answers of the node are about different networks.', {
    details: { node: connection.url, ...facts },
    hint: 'Nothing was written. Check that all paths of the URL (/ext/info, /ext/bc) lead to one node.',
  })
}

/** The id of a node, such as `NodeID-…`; null if the node does not report it. */
export async function readNodeId(connection: Connection, signal?: AbortSignal): Promise<string | null> {
  const read = (result: unknown) => {
    const id = fieldOf(result, 'nodeID')
    return typeof id === 'string' && /^NodeID-[1-9A-HJ-NP-Za-km-z]{30,40}$/.test(id) ? id : null
  }
  return askOptional(connection, [['/ext/info', 'info.getNodeID', {}]], read, { signal, tries: optionalTries })
}

async function readNetworkId(connection: Connection, options: IdentifyOptions, warnings: string[]): Promise<number> {
  const { networkId: given, signal } = options
  let answer: unknown
  try {
    answer = await callRpc(connection, '/ext/info', 'info.getNetworkID', {}, { signal })
  } catch (error) {
    if (!isRefusal(error)) throw error
    // A firewall says nothing about what the node offers.
    if (given === undefined && error instanceof HttpError && error.code === 'transport.blocked') throw error
    if (given === undefined)
      throw new ConfigError('The node does not report its network.', {
        code: 'config.network-unknown',
        details: { node: connection.url, answer: (error as Error).message },
        hint: 'Check the URL. If it is that of the node, set the network id (--network-id), or start the node with --api-info-enabled=true.',
        cause: error,
      })
    warnings.push(`The node does not report its network; the run uses ${networkName(given)} as configured.`)
    return given
  }
  const said = fieldOf(answer, 'networkID')
  const text = typeof said === 'string' || typeof said === 'number' ? String(said) : ''
  const networkId = Number(text)
  if (!/^\d{1,10}$/.test(text) || networkId > 0xffffffff)
    throw new TransportError('The answer to info.getNetworkID has no network id.', {
      code: 'transport.unreadable',
      kind: 'lasting',
      details: { node: connection.url, answer: text.slice(0, 100) },
      hint: 'Check that the URL is that of a node.',
    })
  if (given !== undefined && given !== networkId)
    throw new ConfigError(`The node belongs to ${networkName(networkId)}, not to ${networkName(given)}.`, {
      code: 'config.other-network',
      details: { node: connection.url, 'network id of the node': networkId, 'network id given': given },
      hint: 'Remove the network id, or use a node of that network.',
    })
  return networkId
}

/** The first readable answer of several methods that return the same fact; null if the node refuses all of them. */
async function askOptional<T>(
  connection: Connection,
  calls: readonly Call[],
  read: (result: unknown) => T | null,
  { signal, tries }: { readonly signal: AbortSignal | undefined; readonly tries: number },
): Promise<T | null> {
  for (const [path, method, params] of calls) {
    try {
      const value = read(await callRpc(connection, path, method, params, { tries, signal }))
      if (value !== null) return value
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }
  return null
}

/** The node refuses this request: the interface is off, the method is unknown, or the node is bootstrapping. Not for temporary failures. */
function isRefusal(error: unknown): boolean {
  if (error instanceof RpcError) return true
  if (!(error instanceof HttpError)) return false
  return error.code === 'transport.bootstrapping' || [403, 404, 405, 410, 501].includes(error.status)
}

/** The id of a chain of the primary network by its name. */
function chainIn(result: unknown, name: string): string | null {
  const list = fieldOf(result, 'blockchains')
  const isNamed = (entry: unknown) => fieldOf(entry, 'subnetID') === primaryId && fieldOf(entry, 'name') === name
  return Array.isArray(list) ? idIn(list.find(isNamed), 'id') : null
}

function idIn(value: unknown, name: string): string | null {
  const id = fieldOf(value, name)
  return typeof id === 'string' && /^[1-9A-HJ-NP-Za-km-z]{30,60}$/.test(id) ? id : null
}

const longestLine = 300

/**
 * The health that a node reports (GET /ext/health: 200 healthy, 503 unhealthy with the checks in the body). A node that does not report its
 * health, such as a public one, does not count as unhealthy. `reason`: what is wrong, or why the node does not report its health; empty if
 * the node is healthy. Throws only when `signal` is aborted.
 */
export async function readHealth(connection: Connection, signal?: AbortSignal) {
  try {
    const { status, body } = await connection.request({
      method: 'GET',
      path: '/ext/health',
      label: 'health',
      tries: 2,
      accept: (code) => code === 200 || code === 503,
      signal,
    })
    return readAnswer(status, body.toString())
  } catch (error) {
    if (!(error instanceof TransportError) || signal?.aborted) throw error
    return { healthy: true, reason: `The node does not report its health: ${error.message}` }
  }
}

function readAnswer(status: number, text: string) {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return { healthy: status === 200, reason: status === 200 ? '' : oneLine(text) }
  }
  if (fieldOf(answer, 'healthy') === true) return { healthy: true, reason: '' }
  const failing = Object.entries(fieldOf(answer, 'checks') ?? {}).flatMap(([name, check]) => {
    const error = fieldOf(check, 'error')
    if (error === undefined || error === null) return []
    // Releases of 2021 return an object with a message, later ones a text.
    const message = fieldOf(error, 'message') ?? error
    return [`${name}: ${typeof message === 'string' ? message : JSON.stringify(message)}`]
  })
  return { healthy: false, reason: oneLine(failing.join('; ')) || 'no check is named' }
}

/** What a node says in its own words, on one line and not too long. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line
}
