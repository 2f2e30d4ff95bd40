import { expect, test } from 'vitest'
import { TransportError } from '../../src/errors.ts'
import { createFirstContact } from '../../src/fetch/waits.ts'

const refused = new TransportError('refused', { details: { cause: 'ECONNREFUSED' } })
const reset = new TransportError('reset', { details: { cause: 'ECONNRESET' } })

const other = { unreached: null, leftMs: null }

test('refused connections before the first answer are retried for a time that begins with the first one', () => {
  let nowMs = 1_000
  const contact = createFirstContact(5_000, () => nowMs)
  expect(contact.noteFailure(reset)).toEqual(other)
  expect(contact.noteFailure(refused)).toEqual({ unreached: 'first', leftMs: 5_000 })
  nowMs = 4_000
  expect(contact.noteFailure(refused)).toEqual({ unreached: 'again', leftMs: 2_000 })
  nowMs = 9_000
  expect(contact.noteFailure(refused)).toEqual({ unreached: 'again', leftMs: 0 })
})

test('after an answer a refused connection is an outage', () => {
  const contact = createFirstContact(5_000)
  contact.made()
  expect(contact.noteFailure(refused)).toEqual(other)
})

test('without a time, refused connections are retried as long as tries are left', () => {
  expect(createFirstContact(null).noteFailure(refused)).toEqual({ unreached: 'first', leftMs: null })
})
