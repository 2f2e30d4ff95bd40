import type { Table, Tables } from '../../../define/index.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { visibleText } from '../../../lib/text/visible-text.ts'
import type { LakeReader, QueryAnswer } from '../../../views/query.ts'
import { type AnswerFormat, printAnswer } from '../../answers/answer.ts'
import type { AnswerOutput } from '../../answers/answer-output.ts'
import { builtInPipelines } from '../../settings/settings.ts'
import { coloured } from '../../terminal/terminal.ts'
import { splitStatements } from './statements.ts'

/** An answer that remembers, once it is read, whether it found nothing: no row, or one row of zeros and nulls, such as a count. */
function watchedAnswer({ columns, chunks }: QueryAnswer): QueryAnswer & { readonly foundNothing: () => boolean } {
  let found = false
  let rows = 0
  async function* watched(): QueryAnswer['chunks'] {
    for await (const chunk of chunks) {
      rows += chunk.length
      found ||= chunk.some((row) => row.some((cell) => cell !== null && cell !== 0 && cell !== '0'))
      yield chunk
    }
  }
  return { columns, chunks: watched(), foundNothing: () => !found && rows <= 1 }
}

/** Prints an answer, and to stderr the notes on its query. */
export async function showAnswer(
  lake: LakeReader,
  sql: string,
  format: AnswerFormat,
  output?: AnswerOutput,
): Promise<void> {
  const answer = watchedAnswer(await lake.query(sql))
  await printAnswer(answer, format, output)
  await showNotes(lake, sql, answer.foundNothing())
}

export async function showNotes(lake: LakeReader, sql: string, foundNothing = false): Promise<void> {
  for (const note of await notesOn(lake, sql, foundNothing))
    process.stderr.write(`${coloured(`note: ${visibleText(note)}`)}\n`)
}

/** Why statements may have found nothing although the lake, or the chain, has it: sentences for stderr. */
async function notesOn(lake: LakeReader, sql: string, foundNothing: boolean): Promise<string[]> {
  const { statements, rest } = splitStatements(sql)
  const hints = await Promise.all([...statements, rest].map((statement) => lake.hints(statement)))
  const unfilled = [...new Set(hints.flatMap((each) => each.unfilled))]
  const text = hints.map((each) => each.textAsBytes).find((each) => each !== null)
  const address = foundNothing ? unusualAddress(sql) : null
  return [
    ...(unfilled.length === 0 ? [] : [await unfilledNote(unfilled)]),
    ...(text === undefined ? [] : [bytesNote(text)]),
    ...(address === null ? [] : [`Tables have no address ${address} in this form. Write addr(${address}).`]),
  ]
}

function bytesNote(text: string): string {
  const start = 'The query compares bytes (BLOB) with text, which is never equal, although answers show bytes as 0x….'
  if (text === '') return `${start} Compare with from_hex(substr(text, 3)).`
  return `${start} Write from_hex('${text.slice(2)}') instead of '${text}'.`
}

/** A text of the query with an address as tables never have it: 0x with capitals, or with the prefix of a chain. */
function unusualAddress(sql: string): string | null {
  const prefixed = /(?<!addr\(\s*)'[0-9A-Za-z]+-[a-z][a-z0-9]*1[02-9ac-hj-np-z]{38}'/
  const evm = /(?<!addr\(\s*)'(?:0x(?=[0-9a-f]*[A-F])|0X|[PXC]-0x)[0-9A-Fa-f]{40}'/
  return (prefixed.exec(sql) ?? evm.exec(sql))?.[0] ?? null
}

const mostNamed = 3

async function unfilledNote(tables: readonly string[]): Promise<string> {
  const jobsOf = await readFillers()
  const named = tables.slice(0, mostNamed).map((name) => {
    const jobs = jobsOf(name)
    return jobs.length === 0 ? name : `${name} (run ${jobs.join(' or ')})`
  })
  const more = tables.length - named.length
  const others = more === 0 ? '' : ` and ${countText(more)} more tables of the query`
  return `No run has filled ${named.join(', ')}${others}: that no rows are there says nothing about the chain.`
}

/** The pipelines that fill a table, and the flag that they need for it. */
async function readFillers(): Promise<(table: string) => string[]> {
  const [pipelines, { shippedLists }] = await Promise.all([
    builtInPipelines(),
    import('../../../config/shipped-lists.ts'),
  ])
  return (table) =>
    [...pipelines, ...shippedLists()].flatMap(({ name, tables, optional }) => {
      const has = (some: Tables) => Object.values<Table>(some).some((each) => each.name === table)
      if (has(tables)) return [name]
      return Object.entries(optional).flatMap(([option, more]) => (has(more) ? [`${name} --${option}`] : []))
    })
}
