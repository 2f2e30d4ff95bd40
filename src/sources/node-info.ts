import type { Connection } from '../define/connection.ts'
import type { NetworkChain, NetworkIdentity } from '../define/index.ts'
import { ConfigError, HttpError, RpcError, TransportError } from '../errors.ts'
import { callRpc } from '../fetch/json-rpc.ts'
import { rfc3339ToSeconds } from '../lib/text/time.ts'
import { fieldOf } from './field-of.ts'
import { addressPrefix, knownNetworks, networkName, primaryId, vmIds } from './known-networks.ts'

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
 * It throws `TransportError` if the node cannot be reached.
 */
export async function identifyNetwork(connection: Connection, options: IdentifyOptions = {}): Promise<NetworkIdentity> {
  const warnings: string[] = []
  const networkId = await readNetworkId(connection, options, warnings)
  const names = { networkId, network: networkName(networkId), hrp: addressPrefix(networkId) }
  const known = knownNetworks.get(networkId)
  if (known !== undefined) return { ...names, ...known, warnings }

  const ask = <T>(calls: readonly Call[], read: (result: unknown) => T | null) =>
    askOptional(connection, calls, read, options.signal)
  const [x, c, blockchains, nativeAssetId, durangoTime] = await Promise.all([
    ask([['/ext/info', 'info.getBlockchainID', { alias: 'X' }]], (result) => idIn(result, 'blockchainID')),
    ask([['/ext/info', 'info.getBlockchainID', { alias: 'C' }]], (result) => idIn(result, 'blockchainID')),
    ask([['/ext/bc/P', 'platform.getBlockchains', {}]], blockchainsIn),
    ask(
      [
        ['/ext/bc/P', 'platform.getStakingAssetID', {}],
        ['/ext/bc/X', 'avm.getAssetDescription', { assetID: 'AVAX' }],
        ['/ext/bc/X', 'xvm.getAssetDescription', { assetID: 'AVAX' }],
      ],
      (result) => idIn(result, 'assetID') ?? idIn(result, 'assetId'),
    ),
    ask([['/ext/info', 'info.upgrades', {}]], (result) => {
      const time = fieldOf(result, 'durangoTime')
      return typeof time === 'string' ? rfc3339ToSeconds(time) : null
    }),
  ])
  if (nativeAssetId === null)
    warnings.push('The node does not report its native asset: the column burned will be null.')
  if (durangoTime === null)
    warnings.push(
      'The node does not report when Durango becomes active: start times are the ones that transactions state.',
    )

  const chains: NetworkChain[] = [{ alias: 'P', blockchainId: primaryId, vmId: vmIds.P, subnetId: primaryId }]
  for (const { alias, said } of [{ alias: 'X', said: x } as const, { alias: 'C', said: c } as const]) {
    const listed = blockchains?.find(({ id, name }) => (said === null ? name === `${alias}-Chain` : id === said))
    const blockchainId = said ?? listed?.id
    if (blockchainId === undefined) warnings.push(`The node does not report the id of its ${alias} chain.`)
    else chains.push({ alias, blockchainId, vmId: listed?.vmId ?? null, subnetId: primaryId })
  }
  return { ...names, chains, nativeAssetId, durangoTime, warnings }
}

/** The id of a node, such as `NodeID-…`; null if the node does not report it. */
export async function readNodeId(connection: Connection, signal?: AbortSignal): Promise<string | null> {
  const read = (result: unknown) => {
    const id = fieldOf(result, 'nodeID')
    return typeof id === 'string' && /^NodeID-[1-9A-HJ-NP-Za-km-z]{30,40}$/.test(id) ? id : null
  }
  return askOptional(connection, [['/ext/info', 'info.getNodeID', {}]], read, signal)
}

async function readNetworkId(connection: Connection, options: IdentifyOptions, warnings: string[]): Promise<number> {
  const { networkId: given, signal } = options
  let answer: unknown
  try {
    answer = await callRpc(connection, '/ext/info', 'info.getNetworkID', {}, signal === undefined ? {} : { signal })
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (given === undefined)
      throw new ConfigError('The node does not report its network.', {
        code: 'config.network-unknown',
        details: { node: connection.url, answer: (error as Error).message },
        hint: 'Set the network id (--network-id), or start the node with --api-info-enabled=true.',
        cause: error,
      })
    warnings.push(`The node does not report its network; the run uses ${networkName(given)} as configured.`)
    return given
  }
  const text = String(fieldOf(answer, 'networkID') ?? '')
  const networkId = Number(text)
  if (!/^\d{1,10}$/.test(text) || networkId > 0xffffffff)
    throw new TransportError('The answer to info.getNetworkID has no network id.', {
      code: 'transport.unreadable',
      retryable: false,
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
  signal: AbortSignal | undefined,
): Promise<T | null> {
  for (const [path, method, params] of calls) {
    try {
      const options = { tries: optionalTries, ...(signal === undefined ? {} : { signal }) }
      const value = read(await callRpc(connection, path, method, params, options))
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

function blockchainsIn(result: unknown): { id: string; name: string; vmId: string }[] | null {
  const list = fieldOf(result, 'blockchains')
  if (!Array.isArray(list)) return null
  return list.flatMap((entry) => {
    const [id, name, vmId] = [idIn(entry, 'id'), fieldOf(entry, 'name'), idIn(entry, 'vmID')]
    const primary = fieldOf(entry, 'subnetID') === primaryId
    return primary && id !== null && vmId !== null && typeof name === 'string' ? [{ id, name, vmId }] : []
  })
}

function idIn(value: unknown, name: string): string | null {
  const id = fieldOf(value, name)
  return typeof id === 'string' && /^[1-9A-HJ-NP-Za-km-z]{30,60}$/.test(id) ? id : null
}
