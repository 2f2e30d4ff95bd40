import type { NodeSupply, nodeSupply } from '../../../schemas/node-supply.ts'
import type { Page, ReadingContext, Refusal } from '../../define/index.ts'
import { answerObject, finish } from '../json/fields.ts'
import { optionalCount, u64 } from '../json/value-fields.ts'
import type { SubnetPlace } from './place.ts'
import { isNotFound } from './refusals.ts'

type SupplyPage = Page<{ supply: typeof nodeSupply }>

/** Reads the supply of a subnet's staking token in its least unit (platform.getCurrentSupply, specification 4.3). */
export function decodeSupply(place: SubnetPlace) {
  return (answer: unknown, context: ReadingContext): SupplyPage => {
    const at = answerObject(answer, 'answer', context)
    const row = { supply: u64(at, 'supply'), height: optionalCount(at, 'height'), error: null }
    finish(at)
    return supplyPage(place, context, row)
  }
}

/** Returns a row with the node's message if a subnet has no elastic staking and so no supply. */
export function supplyRefused(place: SubnetPlace) {
  return (refusal: Refusal, context: ReadingContext): SupplyPage | null =>
    isNotFound(refusal) ? supplyPage(place, context, { supply: null, height: null, error: refusal.message }) : null
}

function supplyPage(
  { network, subnetId, subject }: SubnetPlace,
  { observationId, observedAt }: ReadingContext,
  said: Pick<NodeSupply, 'supply' | 'height' | 'error'>,
): SupplyPage {
  const row: NodeSupply = {
    network,
    subnet_id: subnetId,
    subject,
    observation_id: observationId,
    observed_at: observedAt,
    ...said,
  }
  return { rows: { supply: [row] }, items: [], next: null }
}
