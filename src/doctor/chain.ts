import { ChainlakeError } from '../errors.ts'
import { callRpc } from '../fetch/json-rpc.ts'
import type { Connections } from '../run/connections/connections.ts'
import { evmNetworkName } from '../sources/evm-chain.ts'
import { type Check, checkOfError, good, notice } from './check.ts'
import { checkClock } from './clock.ts'
import { anyAnswer } from './node.ts'

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
