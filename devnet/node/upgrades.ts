import { type EraName, epochSeconds, timeOf } from '../network/eras.ts'
import { chainTexts } from '../network/genesis.ts'

/** Activation times of the upgrades of the simulated network, in the node's format. */
export function upgradeTimes(): Record<string, string | number> {
  const at = (name: EraName): string => new Date(timeOf(name) * 1000).toISOString().replace('.000Z', 'Z')
  return {
    apricotPhase1Time: at('apricot1'),
    apricotPhase2Time: at('apricot3'),
    apricotPhase3Time: at('apricot3'),
    apricotPhase4Time: at('apricot4'),
    apricotPhase4MinPChainHeight: 0,
    apricotPhase5Time: at('apricot5'),
    apricotPhasePre6Time: at('apricot5'),
    apricotPhase6Time: at('apricot5'),
    apricotPhasePost6Time: at('apricot5'),
    banffTime: at('banff'),
    cortinaTime: at('cortina'),
    cortinaXChainStopVertexID: chainTexts.P,
    durangoTime: at('durango'),
    etnaTime: at('etna'),
    fortunaTime: at('etna'),
    graniteTime: at('granite'),
    graniteEpochDuration: epochSeconds * 1_000_000_000,
    heliconTime: at('helicon'),
  }
}
