import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../../../errors.ts'
import { packageRoot } from '../../../lib/files/package-root.ts'
import { suggestion } from '../../terminal/suggest.ts'

/** A question that the views of a lake answer, from `examples/queries`. */
export type Example = {
  readonly name: string
  readonly question: string
  readonly sql: string
}

const ending = '.sql'

/** The examples that come with chainlake, by name. The first line of each file is its question, as a comment. */
export async function readExamples(): Promise<Example[]> {
  const folder = join(packageRoot(), 'examples/queries')
  const files = (await readdir(folder)).filter((file) => file.endsWith(ending)).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const [first = '', ...lines] = (await readFile(join(folder, file), 'utf8')).trim().split('\n')
      return { name: file.slice(0, -ending.length), question: first.replace(/^-- /, ''), sql: lines.join('\n') }
    }),
  )
}

/** The example of a name. Throws ConfigError `config.example`. */
export async function findExample(name: string): Promise<Example> {
  const examples = await readExamples()
  const found = examples.find((example) => example.name === name)
  if (found !== undefined) return found
  const names = examples.map((example) => example.name)
  throw new ConfigError(`There is no example ${JSON.stringify(name)}.`, {
    code: 'config.example',
    hint: `${suggestion(name, names)} chainlake sql --examples lists all.`,
  })
}
