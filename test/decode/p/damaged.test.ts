import { describe, expect, test } from 'vitest'
import { containerId } from '../../../codec/containers.ts'
import { decodePContainer } from '../../../src/decode/p/rows.ts'
import { DecodeError, OtherSourceError } from '../../../src/errors.ts'
import { mutated, seeded } from '../../codec/mutations.ts'
import { recordedContainers } from '../../recorded.ts'
import { runs } from '../../runs.ts'
import { contexts } from './recording.ts'

/** Every 40th recorded container, with the network that it is of. */
function samples() {
  return (['granite', 'helicon'] as const).flatMap((name) =>
    recordedContainers(`${name}/p-containers`)
      .filter(({ index }) => index % 40 === 0)
      .map(({ bytes }) => ({ bytes, context: contexts[name] })),
  )
}

describe('damaged P containers', () => {
  test('with the id of their bytes give rows or an error that names the container', () => {
    const random = seeded(7)
    const originals = samples()
    for (let i = 0; i < runs(500); i++) {
      const original = originals[i % originals.length]!
      const bytes = mutated(original.bytes, random)
      const container = { index: i, id: containerId(bytes), acceptedAtNs: 0n, bytes }
      try {
        expect(decodePContainer(container, original.context).blocks.length).toBe(1)
      } catch (cause) {
        if (!(cause instanceof DecodeError || cause instanceof OtherSourceError)) throw cause
        expect(cause.details).toMatchObject({ container: container.id, index: i })
        if (cause instanceof DecodeError) expect(cause.details['path']).toBeTypeOf('string')
      }
    }
  })

  test('are refused when their bytes do not give their id', () => {
    const container = recordedContainers('granite/p-containers')[3]!
    const bytes = container.bytes.slice()
    bytes[60] = bytes[60]! ^ 1
    expect(() => decodePContainer({ ...container, bytes }, contexts.granite)).toThrow(/do not give its id/)
  })
})
