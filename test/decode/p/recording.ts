import { decodePContainer } from '../../../src/decode/p/rows.ts'
import type { ChainContext, Container } from '../../../src/model.ts'
import * as recordings from '../recordings.ts'

type PRows = ReturnType<typeof decodePContainer>

export { type RecordingName, recordingNames } from '../recordings.ts'

/** The networks of the recordings, as the decoder needs them. */
export const contexts = {
  granite: recordings.contextOf('granite', 'P'),
  helicon: recordings.contextOf('helicon', 'P'),
}

/** The rows of many containers, table by table. */
export function rowsOfAll(containers: readonly Container[], context: ChainContext): PRows {
  return recordings.rowsOfAll(containers, decodePContainer, context)
}

export function recordedRows(recording: recordings.RecordingName): PRows {
  return recordings.recordedRows(recording, 'P', decodePContainer)
}
