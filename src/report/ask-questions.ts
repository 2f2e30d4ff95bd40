import { ConfigError } from '../errors.ts'
import { sqlText } from '../lib/text/sql-quote.ts'
import type { PageAnswer, PageCell, PageSection } from './data/page-data.ts'
import type { LakeReading } from './data/read-lake.ts'
import { type Grain, grainFor } from './questions/grain.ts'
import type { Asking, Question, QuestionGroup } from './questions/question.ts'

/** More networks than these would make no page that somebody reads. */
const mostNetworks = 12

/** Asks the questions of each network; those without an answer have no place on the page. */
export async function askOfNetworks(
  lake: LakeReading,
  networks: readonly string[],
  groups: readonly QuestionGroup[],
): Promise<PageSection[]> {
  const sections: PageSection[] = []
  const shown = networks.slice(0, mostNetworks)
  for (const network of shown)
    for (const group of groups) {
      const about = { network: sqlText(network) }
      const answers = await askAll(lake, group.questions, about, shown.length === 1 ? '' : `-${network}`)
      const title = shown.length === 1 ? group.title : `${network}: ${group.title}`
      if (answers.length > 0)
        sections.push({ id: `${group.id}${shown.length === 1 ? '' : `-${network}`}`, title, answers })
    }
  return sections
}

/** The answers to those questions whose tables the lake has, and that have rows. */
export async function askAll<About extends object>(
  lake: LakeReading,
  questions: readonly Question<About & { readonly grain: Grain }>[],
  about: About,
  suffix = '',
): Promise<PageAnswer[]> {
  const answers: PageAnswer[] = []
  for (const question of questions) {
    if (!question.needs.every((table) => lake.filled.has(table))) continue
    const answer = await askOne(lake, question, about)
    if (answer.rows.length > 0 || answer.failure !== null) answers.push({ ...answer, id: `${answer.id}${suffix}` })
  }
  return answers
}

/** A question that fails takes none of the others with it: what a damaged file is in the way of is said in its place. */
async function askOne<About extends object>(
  lake: LakeReading,
  { id, title, says, sql, time, columns, picture }: Question<About & { readonly grain: Grain }>,
  about: About,
): Promise<PageAnswer> {
  const common = { id, title, says, columns, picture }
  try {
    const grain = time === null ? null : await grainOf(lake, time, 'network' in about ? String(about.network) : null)
    const text = sql({ ...about, grain: grain ?? 'day' })
    const { names, rows } = await lake.ask(text)
    const wrong = columns.find(({ name }, index) => names[index] !== name)
    if (wrong !== undefined || names.length !== columns.length)
      throw new RangeError(`${id} declares other columns than it asks for: ${names.join(', ')}.`)
    return { ...common, sql: text, grain, rows, failure: null }
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError || isInterruption(error)) throw error
    return { ...common, sql: sql({ ...about, grain: 'day' }), grain: null, rows: [], failure: error.message }
  }
}

function isInterruption(error: Error): boolean {
  return error instanceof ConfigError && error.message.startsWith('INTERRUPT')
}

async function grainOf(
  lake: LakeReading,
  { from, column }: NonNullable<Question<Asking>['time']>,
  network: string | null,
): Promise<Grain> {
  const { rows } = await lake.ask(
    `SELECT epoch_ms(max(${column})) - epoch_ms(min(${column})) FROM ${from}${network === null ? '' : ` WHERE network = ${network}`}`,
  )
  const length: PageCell = rows[0]?.[0] ?? 0
  return grainFor(Number(length))
}
