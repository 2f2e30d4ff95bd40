import { idText } from '../../../../codec/cb58.ts'
import { zeroId } from '../../../network/genesis.ts'
import type { Place } from './model.ts'

/** Where the outputs of the genesis are: height 0. */
export function genesisPlace(time: number): Place {
  return { height: 0, blockId: idText(zeroId), time }
}
