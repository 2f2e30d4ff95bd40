import { describe, expect, test } from 'vitest'
import { containerId, plainContainerId } from '../../codec/containers.ts'
import { decodeCContainer } from '../../src/decode/c/rows.ts'
import { decodeXContainer, decodeXTransaction, decodeXVertex } from '../../src/decode/x/rows.ts'
import { DecodeError, OtherSourceError } from '../../src/errors.ts'
import { mutated, seeded } from '../codec/mutations.ts'
import { recordedContainers } from '../recorded.ts'
import { runs } from '../runs.ts'
import { contextOf } from './recordings.ts'

/** The file, the step between the used containers, the id function, the decoder and a table with one row per container. */
const cases = [
  ['granite/x-containers', 40, containerId, decodeXContainer, 'blocks'],
  ['helicon/x-containers', 40, containerId, decodeXContainer, 'blocks'],
  ['granite/c-containers', 2, containerId, decodeCContainer, 'blocks'],
  ['helicon/c-containers', 1, containerId, decodeCContainer, 'blocks'],
  ['legacy/x-transactions', 5, plainContainerId, decodeXTransaction, 'transactions'],
  ['legacy/x-vertices', 1, plainContainerId, decodeXVertex, 'vertices'],
] as const

const times = runs(300)

describe('damaged containers', () => {
  test.each(cases)('%s: each gives one row or an error that names the container', (file, step, idOf, decode, table) => {
    const context = contextOf(file.startsWith('helicon') ? 'helicon' : 'granite', file.includes('/x-') ? 'X' : 'C')
    const originals = recordedContainers(`${file}`).filter(({ index }) => index % step === 0)
    const random = seeded(11)
    let errors = 0
    for (let i = 0; i < times; i++) {
      const bytes = mutated(originals[i % originals.length]!.bytes, random)
      const container = { index: i, id: idOf(bytes), acceptedAtNs: 0n, bytes }
      try {
        const rows = decode(container, context) as Record<string, object[]>
        expect(rows[table]?.length).toBe(1)
      } catch (cause) {
        // The damage may change the network or the chain that a transaction states.
        if (!(cause instanceof DecodeError || cause instanceof OtherSourceError)) throw cause
        expect(cause.details).toMatchObject({ container: container.id, index: i })
        if (cause instanceof DecodeError) expect(cause.details['path'] ?? cause.details['derived']).toBeTypeOf('string')
        errors++
      }
    }
    expect(errors).toBeGreaterThan(times / 4)
  })
})
