import { describe, expect, test } from 'vitest'
import { decodeRawContainer } from '../../src/decode/containers.ts'
import { DecodeError } from '../../src/errors.ts'
import { recordedContainers } from '../recorded.ts'
import { contexts } from './p/recording.ts'

describe('raw containers', () => {
  test('become rows with their bytes', () => {
    const container = recordedContainers('granite/p-containers')[5]!
    expect(decodeRawContainer('block')(container, contexts.granite)).toEqual({
      containers: [
        {
          network: 'local',
          chain: 'P',
          container_index: 5,
          container_id: container.id,
          accepted_at: container.acceptedAtNs / 1000n,
          accepted_at_ns: container.acceptedAtNs,
          bytes: container.bytes,
        },
      ],
    })
  })

  test('of the legacy indexes are accepted with ids that are the plain hash of their bytes', () => {
    for (const name of ['x-transactions', 'x-vertices'])
      for (const container of recordedContainers(`legacy/${name}`))
        decodeRawContainer('tx')(container, contexts.granite)
  })

  test('are refused when their bytes do not give their id; the error names the container', () => {
    const [first, second] = recordedContainers('granite/p-containers')
    try {
      decodeRawContainer('block')({ ...first!, bytes: second!.bytes }, contexts.granite)
      expect.unreachable()
    } catch (cause) {
      expect(cause).toBeInstanceOf(DecodeError)
      expect((cause as DecodeError).details).toMatchObject({ container: first!.id, index: 0, derived: second!.id })
      expect((cause as DecodeError).hint).toBeDefined()
    }
  })
})
