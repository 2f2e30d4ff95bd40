import { evmChainId } from '../../c/state.ts'
import { type EraName, timeOf } from '../../network/eras.ts'
import { vmVersions } from '../shared/versions.ts'
import { quantity } from './hex.ts'
import type { EvmMethods } from './method.ts'

/** Methods that identify the chain and its client. */
export const chainMethods: EvmMethods = {
  eth_chainId: () => quantity(evmChainId),
  net_version: () => String(evmChainId),
  net_listening: () => true,
  eth_syncing: () => false,
  web3_clientVersion: () => vmVersions.evm,
  eth_getChainConfig: () => chainConfig(),
}

/** Ethereum upgrades that are active from the first block of this chain. */
const fromBeginning = [
  'berlinBlock',
  'byzantiumBlock',
  'constantinopleBlock',
  'daoForkBlock',
  'eip150Block',
  'eip155Block',
  'eip158Block',
  'homesteadBlock',
  'istanbulBlock',
  'londonBlock',
  'muirGlacierBlock',
  'petersburgBlock',
]

/** Upgrades of this chain by their names in the configuration; times in Unix seconds. */
const upgrades: Readonly<Record<string, EraName>> = {
  apricotPhase1BlockTimestamp: 'apricot1',
  apricotPhase2BlockTimestamp: 'apricot3',
  apricotPhase3BlockTimestamp: 'apricot3',
  apricotPhase4BlockTimestamp: 'apricot4',
  apricotPhase5BlockTimestamp: 'apricot5',
  apricotPhase6BlockTimestamp: 'apricot5',
  apricotPhasePost6BlockTimestamp: 'apricot5',
  apricotPhasePre6BlockTimestamp: 'apricot5',
  banffBlockTimestamp: 'banff',
  cancunTime: 'etna',
  cortinaBlockTimestamp: 'cortina',
  durangoBlockTimestamp: 'durango',
  etnaTimestamp: 'etna',
  fortunaTimestamp: 'etna',
  graniteTimestamp: 'granite',
  heliconTimestamp: 'helicon',
  shanghaiTime: 'durango',
}

function chainConfig(): object {
  const config: Record<string, unknown> = { chainId: evmChainId, daoForkSupport: true }
  for (const name of fromBeginning) config[name] = 0
  for (const [name, era] of Object.entries(upgrades)) config[name] = timeOf(era)
  return Object.fromEntries(Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1)))
}
