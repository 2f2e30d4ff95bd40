import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/lib/package.ts'
import { makeReport } from '../../src/report/make-report.ts'
import { wholeText } from '../../src/report/page/cell-text.ts'
import { cellOf, cellText } from '../../src/views/query.ts'
import { demoLake, gapsLake, hostileLake, hostileTexts, manyStreamsLake, withoutData } from './browser-lakes.ts'
import { reportFolder } from './lakes.ts'

const inPage = readFileSync(join(packageRoot(), 'test/report/in-page.js'), 'utf8').trim().replace(/^;/, '')
const widths = [360, 800, 1440]
const themes = ['light', 'dark'] as const
const views = widths.flatMap((width) => themes.map((theme) => ({ width, theme })))
const folder = reportFolder()
const pictures = process.env['CHAINLAKE_SCREENSHOTS']
const lakes = { demo: demoLake, empty: withoutData, streams: manyStreamsLake, gaps: gapsLake, hostile: hostileLake }
type Name = keyof typeof lakes

let browser: Browser

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env['CHAINLAKE_BROWSER'] ?? '',
    // A container has no sandbox and only 64 MB of shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
})
afterAll(() => browser.close())

type Opened = { readonly page: Page; readonly context: BrowserContext; readonly heard: string[] }

/** Opens a page and records its messages, errors and requests. */
async function opened(file: string, { width, theme }: (typeof views)[number]): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const heard: string[] = []
  const address = pathToFileURL(file).href
  page.on('console', (message) => heard.push(`console: ${message.text()}`))
  page.on('pageerror', (error) => heard.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    heard.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (request.url() !== address) heard.push(`request: ${request.url()}`)
  })
  await page.goto(address)
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  return { page, context, heard }
}

function ask<T>(page: Page, question: string): Promise<T> {
  return page.evaluate(`${inPage}.${question}()`)
}

/** `shown` is set only for numbers. */
type Shown = { readonly value: string | null; readonly shown: string | null }
type ShownAnswer = {
  readonly id: string
  readonly sql: string
  readonly pictures: number
  readonly rows: readonly (readonly Shown[])[]
}

describe.each(Object.keys(lakes) as Name[])('the page of the lake %s', (name) => {
  const file = join(folder, `${name}.html`)

  beforeAll(async () => {
    const lake = await lakes[name](folder)
    writeFileSync(file, await makeReport({ lake: { folder: lake }, nowMs: Date.now() }))
  }, 600_000)

  test.each(views)('has no errors, requests, or cut or overlapping elements at $width in $theme', async (view) => {
    const { page, context, heard } = await opened(file, view)
    expect(await ask(page, 'flaws')).toEqual([])
    await keepPicture(page, `${name}-${view.width}-${view.theme}`)
    await ask(page, 'openAll')
    expect((await ask<string[]>(page, 'flaws')).filter((flaw) => flaw.startsWith('the page is'))).toEqual([])
    expect(heard).toEqual([])
    await context.close()
  })

  // The widths between the narrowest and the widest show the same elements.
  test.each(views.filter(({ width }) => width !== 800))(
    'has no violation found by axe at $width in $theme',
    async (view) => {
      const { page, context } = await opened(file, view)
      await page.evaluate(axe.source)
      // With all details open, axe takes several times as long.
      const state = view.width === 1440 ? 'open' : 'closed'
      if (state === 'open') await ask(page, 'openAll')
      const { violations }: { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] } =
        await page.evaluate('axe.run()')
      expect(
        violations.map(({ id, nodes }) => [
          state,
          id,
          nodes.slice(0, 3).map((node) => `${node.html.slice(0, 200)} ${node.failureSummary}`),
        ]),
      ).toEqual([])
      await context.close()
    },
  )

  test('shows the same numbers as its SQL returns in another DuckDB', async () => {
    const { page, context } = await opened(file, { width: 1440, theme: 'light' })
    await ask(page, 'openAll')
    const answers = await ask<ShownAnswer[]>(page, 'answers')
    const preparation = await ask<string | null>(page, 'preparation')
    if (name === 'empty') expect(answers).toEqual([])
    else expect(answers.length).toBeGreaterThan(5)
    if (preparation !== null) {
      const instance = await DuckDBInstance.create(':memory:')
      const connection = await instance.connect()
      // A reader may have any time zone.
      await connection.run("SET TimeZone = 'Pacific/Auckland'")
      await connection.run(preparation)
      for (const { id, sql, rows } of answers) {
        const found = (await connection.runAndReadAll(sql))
          .getRows()
          .map((row) => row.map((cell) => (cell === null ? null : cellText(cellOf(cell)))))
        expect({ id, rows: rows.map((row) => row.map(({ value }) => value)) }).toEqual({ id, rows: found })
        for (const { value, shown } of rows.flat())
          if (value !== null && shown !== null && /^-?\d+$/.test(value) && !shown.includes('.'))
            expect([wholeText(value), wholeText(value, 9), wholeText(value, 18)]).toContain(shown)
      }
      const totals = answers.find(({ id }) => id === 'totals')?.rows[0] ?? []
      const facts = await ask<Record<string, readonly string[]>>(page, 'facts')
      expect(facts['Rows']).toEqual([totals[0]?.shown, `in ${totals[2]?.shown} files`])
      expect(facts['Size']?.[1]).toBe(`${totals[1]?.shown} bytes of data`)
      connection.closeSync()
      instance.closeSync()
    }
    await context.close()
  })

  test('shows foreign text as text only', async () => {
    const { page, context, heard } = await opened(file, { width: 800, theme: 'light' })
    await ask(page, 'openAll')
    expect(await ask(page, 'elements')).toEqual({
      scripts: ['application/json', 'text/plain', 'module'],
      images: 0,
      bold: 0,
      handlers: 0,
    })
    expect(heard).toEqual([])
    const text = (await ask<ShownAnswer[]>(page, 'answers')).flatMap(({ rows }) =>
      rows.flat().map(({ value }) => value),
    )
    if (name === 'hostile') for (const hostile of hostileTexts) expect(text).toContain(hostile)
    await context.close()
  })

  test('collapses complete streams, puts problems first and copies whole ids', async () => {
    const { page, context } = await opened(file, { width: 1440, theme: 'light' })
    const shown = await ask<{ first: string; openStreams: string[]; copied: string[]; whole: string[] }>(page, 'layout')
    if (name !== 'empty') expect(shown.first).toBe(name === 'gaps' || name === 'streams' ? 'problems' : 'glance')
    expect(shown.openStreams.filter((each) => each !== 'stream incomplete')).toEqual([])
    expect(shown.copied).toEqual(shown.whole)
    if (name === 'demo') expect(shown.whole.length).toBeGreaterThan(0)
    await context.close()
  })

  test('works with the keyboard and prints', async () => {
    const { page, context } = await opened(file, { width: 1440, theme: 'light' })
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.className')).toBe('skip')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
    if (name !== 'empty') {
      await page.evaluate("document.querySelector('#totals .sql summary').focus()")
      await page.keyboard.press('Enter')
      expect(await page.evaluate("document.querySelector('#totals .sql').open")).toBe(true)
    }
    const printed = await page.pdf({ format: 'A4' })
    expect(printed.subarray(0, 5).toString()).toBe('%PDF-')
    await context.close()
  })
})

/** Saves a screenshot for manual review. */
async function keepPicture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}
