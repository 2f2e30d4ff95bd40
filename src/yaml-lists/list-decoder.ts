import { answerObject, objects, optionalText, type Reading } from '../decode/json/fields.ts'
import type { DecodePage, Page, PageItem, ReadingContext, ServiceAnswer } from '../define/index.ts'
import { type ReadTree, type ReadValues, readTree, readWhole, type TreeField } from './answer-tree.ts'
import { fieldReader } from './column-types.ts'
import { pathSteps } from './json-path.ts'
import { nextToken } from './list-request.ts'
import type { ListText } from './list-schema.ts'
import { isList, walkColumns } from './list-table.ts'
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

/** Decodes the answers of a list. The same decoder serves all streams, so that an answer has the same shape for all. */
export function listDecoder(list: ListText): (facts: RowFacts) => DecodePage {
  const readAnswer = answerReader(list)
  return ({ network, subject, values }) => {
    const constants = parameterColumns(list, values)
    return (whole, context, token = null): Page => {
      const answer = whole as ServiceAnswer
      const isEmpty = list.empty?.includes(answer.status) === true
      const read = isEmpty ? { items: [], answer: {} } : readAnswer(answer.json, context)
      const rows = read.items.map((item) => ({
        ...addedValues(list, network, subject, context),
        ...inOrder(list, { ...constants, ...read.answer, ...item }),
      }))
      const stated = (read.answer[tokenName] as string | null | undefined) || null
      const next = nextToken(list.pager, { answer, token, stated, items: rows.length })
      return { rows: { [rowsName]: rows }, items: rows.map((row) => pageItem(list, row)), next }
    }
  }
}

type ReadAnswer = { readonly items: readonly ReadValues[]; readonly answer: ReadValues }

// Names of columns are in snake_case, so these collide with none.
const itemsName = 'items of the list'
const tokenName = 'token of the next page'

function answerReader(list: ListText): (json: unknown, context: ReadingContext) => ReadAnswer {
  const { items = null, pager, ignore = [] } = list
  const isWholeList = items === '[]'
  const prefix = items === null ? '' : isWholeList ? '[].' : `${items}[].`
  const itemTree = readTree(columnFields(list, 'path'), below(ignore, prefix))
  const ofAnswer = columnFields(list, 'answer')
  const token: TreeField[] =
    pager?.kind === 'token' ? [{ name: tokenName, path: pager.at, nullable: true, read: optionalText }] : []
  const outside = ignore.filter((path) => prefix === '' || !path.startsWith(prefix))
  if (items === null) {
    const tree = readTree([...columnFields(list, 'path'), ...ofAnswer, ...token], ignore)
    return (json, context) => {
      const values = readWhole(tree, answerObject(json, 'answer', context))
      return { items: [values], answer: values }
    }
  }
  const listField: TreeField = {
    name: itemsName,
    path: isWholeList ? 'answer' : items,
    nullable: false,
    read: (at, field) => readItems(itemTree, at, field),
  }
  const tree = readTree([listField, ...ofAnswer, ...token], outside)
  return (json, context) => {
    const at = answerObject(isWholeList ? { answer: json } : json, 'answer', context)
    const answer = readWhole(tree, at)
    return { items: answer[itemsName] as ReadValues[], answer }
  }
}

function readItems(tree: ReadTree, at: Reading, field: string): ReadValues[] {
  return objects(at, field, (item) => {
    const values: ReadValues = {}
    tree(item, values)
    return values
  })
}

/** Paths below a prefix, relative to it. */
function below(paths: readonly string[], prefix: string): string[] {
  if (prefix === '') return [...paths]
  return paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length))
}

function columnFields({ table: { columns } }: ListText, from: 'path' | 'answer'): TreeField[] {
  return Object.entries(columns).flatMap(([name, column]) => {
    const path = column[from]
    if (path === undefined) return []
    const nullable = column.nullable === true
    return [{ name, path, nullable, read: fieldReader(isList(column) ? { ...column, nullable: false } : column) }]
  })
}

/** The values of columns that come from parameters, read like those of answers. */
export function parameterColumns({ table: { columns } }: ListText, values: TemplateValues): ReadValues {
  const silent = { observationId: '', observedAt: 0n, unknownField: () => undefined, memory: new Map() }
  const at = answerObject(values, 'the parameters', silent)
  const read = Object.entries(columns).flatMap(([name, column]) =>
    column.parameter === undefined ? [] : [[name, fieldReader(column)(at, column.parameter)] as const],
  )
  return Object.fromEntries(read)
}

/** The values of the columns that the walk adds. */
function addedValues({ walk }: ListText, network: string, subject: string, context: ReadingContext): ReadValues {
  const { observationId, observedAt } = context
  const all: ReadValues = {
    network,
    subject,
    observation_id: observationId,
    observed_at: observedAt,
    version_hash: '',
    present: true,
  }
  return Object.fromEntries(Object.keys(walkColumns[walk.kind].columns).map((name) => [name, all[name]]))
}

/** The values in the order of the columns. */
function inOrder({ table: { columns } }: ListText, values: ReadValues): ReadValues {
  return Object.fromEntries(Object.keys(columns).map((name) => [name, values[name]]))
}

function pageItem({ table: { key }, walk }: ListText, row: ReadValues): PageItem {
  const time = 'time' in walk && walk.time !== undefined ? (row[walk.time] as bigint | null) : null
  return {
    key: key.map((column) => String(row[column])).join(' '),
    time: time === null ? null : Number(time / 1_000_000n),
  }
}

/** Whether a path can hold the items of a list. */
export function isItemsPath(path: string): boolean {
  return path === '[]' || pathSteps(path)?.every(({ each }) => !each) === true
}
