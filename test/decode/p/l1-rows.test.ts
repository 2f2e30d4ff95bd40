import { describe, expect, test } from 'vitest'
import { recordedRows, recordingNames } from './recording.ts'

describe('validations of L1 transactions', () => {
  test.each(recordingNames)('%s: every disabled validation was created by a conversion', (recording) => {
    const { validations } = recordedRows(recording)
    const made = new Set(
      validations.filter(({ tx_type }) => tx_type === 'ConvertSubnetToL1Tx').map((row) => row.validation_id),
    )
    const disabled = validations.filter(({ action }) => action === 'disable')
    expect(disabled.length).toBeGreaterThan(0)
    for (const row of disabled) expect(made).toContain(row.validation_id)
  })
})
