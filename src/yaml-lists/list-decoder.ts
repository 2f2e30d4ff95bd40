import { answerObject } from '../decode/json/fields.ts'
import { type Given, listReader, rowReader, secondsOf } from '../decode/list-reader.ts'
import type { Column, DecodePage, Page, ServiceAnswer } from '../define/index.ts'
import { pathSteps } from './json-path.ts'
import { nextToken } from './list-request.ts'
import type { ListText } from './list-schema.ts'
import { listTable } from './list-table.ts'
import type { TemplateValues } from './template.ts'

/** What rows of a list have in addition to what answers state. */
type RowFacts = {
  readonly network: string
  readonly subject: string
  /** Values of the parameters of the job. */
  readonly values: TemplateValues
}

/** The name of the table in pages. */
export const rowsName = 'rows'

/** An answer that is a list by itself is read as this field of an object. */
const wholeAnswer = 'answer'

/** Decodes the answers of a list. The same decoder serves all streams, so that an answer has the same shape for all. */
export function listDecoder(list: ListText): (facts: RowFacts) => DecodePage {
  const { items = null, pager, ignore = [], walk } = list
  const isWholeList = items === '[]'
  const prefix = items === null ? '' : isWholeList ? '[].' : `${items}[].`
  const { key } = list.table
  const time = 'time' in walk ? walk.time : undefined
  const read = listReader({
    tables: { [rowsName]: listTable(list) },
    items: isWholeList ? wholeAnswer : items,
    token: pager?.kind === 'token' ? pager.at : null,
    ignore: ignore.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : [])),
    ignoreInAnswer: ignore.filter((path) => !path.startsWith(prefix)),
    key: (row: Given) => key.map((column) => String(row[column])).join(' '),
    time: (row: Given) => {
      const found = time === undefined ? null : (row[time] as bigint | null)
      return found === null ? null : secondsOf(found)
    },
  })
  const parameters = parameterReader(list)
  return ({ network, subject, values }) => {
    const decode = read({ network, subject, ...parameters(values) })
    return (whole, context, token = null): Page => {
      const answer = whole as ServiceAnswer
      const isEmpty = list.empty?.includes(answer.status) === true
      const {
        rows,
        items,
        next: stated,
      } = isEmpty
        ? { rows: { [rowsName]: [] }, items: [], next: null }
        : decode(isWholeList ? { [wholeAnswer]: answer.json } : answer.json, context)
      return { rows, items, next: nextToken(pager, { answer, token, stated, items: items.length }) }
    }
  }
}

/** Makes a reader of the columns that come from parameters. It reads them like those of answers. */
export function parameterReader(list: ListText): (values: TemplateValues) => Given {
  const { columns } = listTable(list)
  const own = Object.entries(list.table.columns).flatMap(([name, { parameter }]): [string, Column][] =>
    parameter === undefined ? [] : [[name, { ...columns[name], path: parameter }]],
  )
  const silent = { observationId: '', observedAt: 0n, unknownField: () => undefined, memory: new Map() }
  const read = rowReader(Object.fromEntries(own))
  return (values) => read(answerObject(values, 'the parameters', silent), {})
}

/** Whether a path can hold the items of a list. */
export function isItemsPath(path: string): boolean {
  return path === '[]' || pathSteps(path)?.every(({ each }) => !each) === true
}
