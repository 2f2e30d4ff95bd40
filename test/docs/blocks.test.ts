import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/lib/package.ts'
import { kindOf, runElsewhere, whyNeither, yamlKeys } from './block-kinds.ts'
import { blocksByDocument, type DocumentBlock } from './documents.ts'

const blocks = [...blocksByDocument().values()].flat()
const running = (kind: string) => blocks.filter((block) => kindOf(block) === kind)
const positionOf = ({ document, line }: DocumentBlock) => `${document}:${line}`

describe('blocks of the documents', () => {
  test('run in a test, or say why not', () => {
    const wrong = blocks.map((block) => [positionOf(block), whyNeither(block)]).filter(([, why]) => why !== '')
    expect(wrong).toEqual([])
  })

  // A new line is a decision: `npx vitest run test/docs/blocks.test.ts --update` accepts it.
  test('that do not run are these', async () => {
    const counts = new Map<string, number>()
    for (const { document, language, notRun } of blocks.filter((block) => block.notRun !== undefined)) {
      const line = `${document}: ${language === '' ? 'text' : language}, ${notRun}`
      counts.set(line, (counts.get(line) ?? 0) + 1)
    }
    const lines = Array.from(counts, ([line, count]) => (count === 1 ? line : `${line} (${count} blocks)`))
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('not-run.txt')
  })

  test('run for the most part', () => {
    const run = blocks.filter((block) => kindOf(block) !== undefined)
    expect(run.length).toBeGreaterThan(blocks.filter((block) => block.notRun !== undefined).length)
  })

  test('without a language hold no commands', () => {
    const hidden = blocks.filter(
      ({ language, text, notRun }) =>
        ['', 'text'].includes(language) && notRun === undefined && /^(npx|npm) /m.test(text),
    )
    expect(hidden.map(positionOf)).toEqual([])
  })

  test('of YAML that run have keys of chainlake.yaml', () => {
    const { properties } = JSON.parse(readFileSync(join(packageRoot(), 'chainlake.schema.json'), 'utf8'))
    const other = running('settings').filter(({ text }) => !yamlKeys(text).some((key) => key in properties))
    expect(other.map(positionOf)).toEqual([])
  })

  test('that another test runs are in a document that it names', () => {
    for (const { document, test: path } of runElsewhere)
      expect(readFileSync(join(packageRoot(), path), 'utf8')).toContain(document)
  })
})

describe('commands that run', () => {
  const found = (pattern: RegExp) =>
    running('commands').flatMap((block) =>
      block.text.split('\n').flatMap((text, at) => {
        const [match] = pattern.exec(text) ?? []
        return match === undefined ? [] : [`${block.document}:${block.line + 1 + at}: ${match.trim()}`]
      }),
    )

  test('need nothing but chainlake and the tools of every system', () => {
    const programs =
      /(?:^|[;&|(]|\$\()\s*(?:sudo|docker|podman|kubectl|systemctl|crontab|npm|pnpm|yarn|pip3?|git|aws|mc|duckdb|psql|spark-\w+|trino|clickhouse\S*|dbt|jq|apt(?:-get)?|brew|open|xdg-open)\s/
    expect(found(programs)).toEqual([])
  })

  test('reach only this machine', () => {
    expect(found(/\b(curl|wget)\b.*https?:\/\/(?!127\.0\.0\.1|localhost)/)).toEqual([])
  })

  test('start no network of their own at a fixed port, and do not sleep', () => {
    expect(found(/\bchainlake devnet\b(?!.*--port 0\b)/)).toEqual([])
    expect(found(/(?:^|[;&|])\s*sleep\s/)).toEqual([])
  })
})
