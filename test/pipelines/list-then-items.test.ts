import { describe, expect, test } from 'vitest'
import { listThenItems } from '../../pipelines/shared/node.ts'
import { type List, type NodeCall, type RowsOf, theNode } from '../../src/define/index.ts'
import type { Asker } from '../../src/run/connections/connections.ts'
import { listPages } from '../../src/run/lists/list-pages.ts'
import { type TestContext, testContext } from '../decode/service/reading.ts'

const call = (method: string): NodeCall => ({ host: 'node', endpoint: theNode, path: '', method, params: [] })

/** Texts in place of rows. */
const rowsOf = (...texts: readonly string[]) => ({ letters: texts }) as unknown as RowsOf<any>

/** A list of letters that then requests the rows of each letter; a letter followed by `!` is not requested. */
const letters: List = listThenItems<string>({
  list: {
    request: call('list'),
    read: (answer) => {
      const listed = (answer as string).split(',').filter((letter) => letter !== '')
      const requested = listed.filter((letter) => !letter.endsWith('!'))
      return { rows: rowsOf(`listed ${answer}`), items: new Map(requested.map((letter) => [letter, `<${letter}>`])) }
    },
  },
  item: {
    request: call,
    read: (answer, _, item) => rowsOf(`${answer} of ${item}`),
  },
  none: rowsOf(),
})

/** Reads the list from a page token on; returns the requests, the rows and the page tokens. */
function read(listed: string, token: string | null = null, context: TestContext = testContext(), most = 100) {
  const [requested, rows, tokens]: [string[], string[], string[]] = [[], [], []]
  let next = token
  do {
    const { method } = letters.request(next) as NodeCall
    requested.push(method)
    const page = letters.decode(method === 'list' ? listed : method.toUpperCase(), context, next)
    rows.push(...(page.rows['letters'] as unknown as string[]))
    next = page.next
    if (next !== null) tokens.push(next)
  } while (next !== null && requested.length < most)
  return { requested, rows, tokens, next }
}

describe('a list that requests its items', () => {
  test('sends one request for the list and one for each item', () => {
    const { requested, rows, tokens } = read('a,b!,c')
    expect(requested).toEqual(['list', 'a', 'c'])
    expect(rows).toEqual(['listed a,b!,c', 'A of <a>', 'C of <c>'])
    expect(new Set(tokens).size).toBe(tokens.length)
    expect(read('')).toMatchObject({ requested: ['list'], rows: ['listed '] })
    expect(read('x!')).toMatchObject({ requested: ['list'], rows: ['listed x!'] })
  })

  test.each([2, 3, 4])('resumes after %i requests: it reads the list again and continues at the same item', (most) => {
    const before = read('a,b,c,d', null, testContext(), most)
    const after = read('a,b,c,d', before.next)
    const rest = ['a', 'b', 'c', 'd'].slice(most - 1)
    // The first request goes to the item of the token; only then the list is read again.
    expect(after.requested).toEqual([rest[0], 'list', ...rest])
    expect(after.rows).toEqual(['listed a,b,c,d', ...rest.map((letter) => `${letter.toUpperCase()} of <${letter}>`)])
    const tokens = [...before.tokens, ...after.tokens]
    expect(new Set(tokens).size).toBe(tokens.length)
  })

  test('reads all items again when the item of its page token is no longer listed', () => {
    const { next } = read('a,b,c', null, testContext(), 2)
    expect(read('d,c', next).requested).toEqual(['b', 'list', 'd', 'c'])
    expect(read('', next).requested).toEqual(['b', 'list'])
  })

  test('may have more items than the limit of pages for a list without items', async () => {
    const listed = Array.from({ length: 1_500 }, (_, at) => `item${at}`).join(',')
    const client = {
      ask: async (question, { parse }) => {
        const { method } = question as NodeCall
        return parse(method === 'list' ? listed : method)
      },
    } as Asker
    const signal = new AbortController().signal
    for (const token of [null, '0 item item3']) {
      let pages = 0
      for await (const event of listPages(letters, { client, signal, context: testContext, token })) {
        expect(event).toHaveProperty('page')
        pages++
      }
      // After a resume: the item of the token, then the list, then that item again and the rest.
      expect(pages).toBe(token === null ? 1_501 : 1 + 1 + 1_497)
    }
  })

  test('may stop and resume many times', () => {
    const tokens: string[] = []
    const rows: string[] = []
    let next: string | null = null
    for (let stops = 0; stops < 8; stops++) {
      const part = read('a,b,c', next, testContext(), 3)
      rows.push(...part.rows)
      tokens.push(...part.tokens)
      next = part.next
      if (next === null) break
    }
    expect(next).toBeNull()
    expect(rows.filter((row) => !row.startsWith('listed'))).toEqual(['A of <a>', 'B of <b>', 'C of <c>'])
    expect(new Set(tokens).size).toBe(tokens.length)
  })
})
