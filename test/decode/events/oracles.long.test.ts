import fc from 'fast-check'
import { createContract, events } from 'micro-eth-signer/abi.js'
import * as AbiEvent from 'ox/AbiEvent'
import * as AbiParameters from 'ox/AbiParameters'
import { describe, expect, test } from 'vitest'
import type { EvmLog } from '../../../schemas/evm-blocks.ts'
import { signatureOf } from '../../../src/decode/events/abi.ts'
import { eventDecoder, eventTable, parseAbi, parseSignature } from '../../../src/decode/events/events.ts'
import { logOf } from './logs.ts'
import { isHashed, type JsonEvent, type JsonInput, type MadeEvent, madeEvents } from './made-events.ts'

const hash = `0x${'ab'.repeat(32)}`

/** The topics and the data of a log, as ox encodes them. */
function encoded({ event, values }: MadeEvent): EvmLog {
  const inputs = event.inputs.map((input, at) => ({ input, value: values[at] }))
  const plain = inputs.filter(({ input }) => !input.indexed)
  const topics = inputs.flatMap(({ input, value }) =>
    input.indexed ? [isHashed(input) ? hash : AbiParameters.encode([input] as never, [value] as never)] : [],
  )
  const data = AbiParameters.encode(plain.map(({ input }) => input) as never, plain.map(({ value }) => value) as never)
  return logOf([...(event.anonymous ? [] : [AbiEvent.getSelector(event as never)]), ...topics], data)
}

function decodedBy({ event }: Pick<MadeEvent, 'event'>, log: EvmLog) {
  const [parsed] = parseAbi(JSON.stringify([event]), 'abi.json')
  const decoder = eventDecoder(parsed!, eventTable(parsed!, 'evm_event_made'))
  return { isOf: decoder.isOf(log), ...decoder.decode(log) }
}

/** A value of a library as its column holds it: `held` says which form that is. */
function asHeld(value: unknown, held: unknown): unknown {
  if (Array.isArray(held)) return (value as unknown[]).map((item, at) => asHeld(item, held[at]))
  if (held instanceof Uint8Array)
    return Buffer.from(typeof value === 'string' ? Buffer.from(value.slice(2), 'hex') : (value as Uint8Array))
  if (typeof held === 'object' && held !== null)
    return Object.fromEntries(
      Object.entries(held).map(([name, each]) => [name, asHeld((value as Record<string, unknown>)[name], each)]),
    )
  if (typeof held === 'number') return Number(value)
  if (typeof held === 'bigint') return BigInt(value as bigint)
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
  if (typeof held === 'string' && held.startsWith('0x') && typeof value === 'string') return value.toLowerCase()
  return String(value) === held ? held : value
}

const isWide = ({ type }: JsonInput): boolean => /^u?int(12[89]|1[3-9]\d|2\d\d)$/.test(type)

/** The columns of the parameters that a row must have. */
function expected(event: JsonEvent, held: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    event.inputs.flatMap((input, at): [string, unknown][] => {
      if (input.indexed && isHashed(input)) return [[input.name, hash]]
      if (!isWide(input)) return [[input.name, held[at]]]
      const number = BigInt(held[at] as string)
      const fits = number < 10n ** 38n && number > -(10n ** 38n)
      return [
        [`${input.name}_raw`, held[at]],
        [input.name, fits ? number : null],
      ]
    }),
  )
}

function microDecoded({ event, values }: MadeEvent, log: EvmLog): Record<string, unknown> {
  const topics = [log.topic0, log.topic1, log.topic2, log.topic3].filter((topic) => topic !== null)
  const decoder = (
    events([event] as never) as Record<string, { decode: (topics: string[], data: string) => Record<string, unknown> }>
  )['Made']!
  expect(values).toHaveLength(event.inputs.length)
  return decoder.decode(topics, `0x${Buffer.from(log.data).toString('hex')}`)
}

const numRuns = 1000

describe('a decoder of any ABI', () => {
  test('gives the values that ox encoded and micro-eth-signer decodes', () => {
    fc.assert(
      fc.property(madeEvents, (made) => {
        const { event, held } = made
        const log = encoded(made)
        const decoded = decodedBy(made, log)
        expect(decoded.isOf).toBe(true)
        expect(decoded).toHaveProperty('row')
        const {
          network: _1,
          chain_id: _2,
          block_number: _3,
          block_time: _4,
          transaction_index: _5,
          transaction_hash: _6,
          log_index: _7,
          contract: _8,
          ...own
        } = (decoded as { row: Record<string, unknown> }).row
        expect(own).toEqual(asBuffers(expected(event, held)))
        const plain = event.inputs.filter(({ indexed }) => !indexed)
        const fromOx = AbiParameters.decode(
          plain as never,
          `0x${Buffer.from(log.data).toString('hex')}`,
        ) as readonly unknown[]
        for (const [at, input] of plain.entries()) {
          const position = event.inputs.indexOf(input)
          expect(asHeld(fromOx[at], held[position])).toEqual(asBuffers(held[position]))
        }
        if (event.inputs.length === 0) return
        const fromMicro = microDecoded(made, log)
        for (const [at, input] of event.inputs.entries())
          if (!(input.indexed && isHashed(input)))
            expect(asHeld(fromMicro[input.name], held[at])).toEqual(asBuffers(held[at]))
      }),
      { numRuns },
    )
  })

  test('takes the data that micro-eth-signer encodes', () => {
    fc.assert(
      fc.property(madeEvents, (made) => {
        const plain = made.event.inputs.filter(({ indexed }) => !indexed)
        if (plain.length === 0) return
        const contract = createContract([
          { type: 'function', name: 'f', inputs: plain, outputs: [] },
        ] as never) as unknown as {
          f: { encodeInput: (values: unknown) => Uint8Array }
        }
        const values = plain.map((input) => bytesIn(made.values[made.event.inputs.indexOf(input)], input))
        const [only] = values
        const named = Object.fromEntries(plain.map(({ name }, at) => [name, values[at]]))
        const data = contract.f.encodeInput(plain.length === 1 ? only : named).subarray(4)
        expect(Buffer.from(data).equals(encoded(made).data)).toBe(true)
      }),
      { numRuns },
    )
  })

  test('gives a failure, or the values that ox reads, for damaged data', () => {
    fc.assert(
      fc.property(madeEvents, fc.nat(), fc.integer({ min: 1, max: 255 }), (made, place, flip) => {
        const log = encoded(made)
        if (log.data.length === 0) return
        const data = Buffer.from(log.data)
        data[place % data.length]! ^= flip
        const decoded = decodedBy(made, { ...log, data })
        if ('failure' in decoded) {
          expect(decoded.failure.reason).toMatch(/^[a-z0-9_]+$/)
          return
        }
        const plain = made.event.inputs.filter(({ indexed }) => !indexed)
        const fromOx = AbiParameters.decode(plain as never, `0x${data.toString('hex')}`) as readonly unknown[]
        for (const [at, input] of plain.entries()) {
          const value = decoded.row[isWide(input) ? `${input.name}_raw` : input.name]
          expect(asHeld(fromOx[at], value)).toEqual(asBuffers(value))
        }
      }),
      { numRuns },
    )
  })

  test('is the same from the signature as from the ABI', () => {
    fc.assert(
      fc.property(madeEvents, ({ event }) => {
        const [parsed] = parseAbi(JSON.stringify({ abi: [event] }), 'abi.json')
        expect(parseSignature(signatureOf(parsed!), 'events')).toEqual(parsed)
      }),
      { numRuns },
    )
  })
})

/** Blobs as buffers: tests compare classes. */
function asBuffers(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value)
  if (Array.isArray(value)) return value.map(asBuffers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asBuffers(each)]))
}

/** micro-eth-signer takes bytes as arrays. */
function bytesIn(value: unknown, input: JsonInput): unknown {
  if (Array.isArray(value))
    return value.map((item) => bytesIn(item, { ...input, type: input.type.replace(/\[\d*\]$/, '') }))
  if (input.type === 'tuple')
    return Object.fromEntries(
      input.components!.map((each) => [each.name, bytesIn((value as Record<string, unknown>)[each.name], each)]),
    )
  return /^bytes\d*$/.test(input.type) ? Uint8Array.from(Buffer.from((value as string).slice(2), 'hex')) : value
}
