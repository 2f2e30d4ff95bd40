import type { PageGap, PageStream } from '../coverage.ts'
import type { PageData } from '../make-report.ts'
import type { PageAnswer, PageCell, PageColumn } from '../page-data.ts'
import { cellText, timeText, wholeText } from './cell-text.ts'
import { chartsOf, legendOf } from './chart.ts'
import {
  codeBlock,
  details,
  element,
  foreignText,
  idText,
  isId,
  scrolledTable,
  section,
  svgElement,
} from './element.ts'

/** A number with more characters takes several lines, so that it does not push columns out of the table. */
const mostDigits = 32
/** Rows that a table shows at first. */
const firstRows = 100

/** An answer: its pictures, its numbers, and the SQL that gave them. */
export function answerView(answer: PageAnswer, colours: ReadonlyMap<string, number>): HTMLElement {
  const { id, title, says, sql, rows, failure } = answer
  const charts = failure === null ? chartsOf(answer, colours) : []
  const heading = element('h3', { id: `${id}-title` }, title)
  const isTable = charts.length === 0
  const summary = `Numbers: ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`
  return element(
    'article',
    { class: charts.length === 1 ? 'answer' : 'answer wide', id, 'aria-labelledby': `${id}-title` },
    heading,
    element('p.says', says),
    failure === null ? null : element('p.failure', 'The lake could not be queried: ', foreignText(failure, 400)),
    isTable ? null : element('div.pictures', ...charts.map((chart) => chartView(chart, answer, colours))),
    failure !== null ? null : isTable ? tableView(answer) : details('numbers', summary, tableView(answer)),
    details('sql', 'SQL', codeBlock(sql, `SQL of ${title}`)),
  )
}

function chartView(
  chart: ReturnType<typeof chartsOf>[number],
  answer: PageAnswer,
  colours: ReadonlyMap<string, number>,
): HTMLElement {
  const place = element('div.picture')
  const label = `${answer.title}: ${chart.title}. ${answer.rows.length} rows, which the table of numbers has.`
  let drawnWidth = 0
  const draw = (): void => {
    const width = Math.floor(place.clientWidth)
    if (width === 0 || width === drawnWidth) return
    drawnWidth = width
    const picture = chart.draw(width)
    picture.setAttribute('role', 'img')
    picture.setAttribute('aria-label', label)
    place.replaceChildren(picture)
  }
  new ResizeObserver(draw).observe(place)
  return element(
    'figure',
    element('figcaption', chart.title),
    chart.legend.length === 0 ? null : legendOf(chart.legend, colours),
    place,
  )
}

function tableView({ id, title, columns, rows }: PageAnswer): HTMLElement {
  const body = element('tbody')
  const fill = (some: readonly (readonly PageCell[])[]): void =>
    body.append(...some.map((row) => rowView(row, columns)))
  fill(rows.slice(0, firstRows))
  const scroll = scrolledTable(id, title, `Numbers of ${title}`, columns.map(headView), body)
  if (rows.length <= firstRows) return scroll
  const more = element('button', { type: 'button', class: 'more' }, `Show all ${rows.length} rows`)
  more.addEventListener('click', () => {
    fill(rows.slice(firstRows))
    more.remove()
    scroll.focus()
  })
  return element('div', scroll, more)
}

function headView({ name, kind }: PageColumn): HTMLElement {
  const unit = kind.as === 'time' ? 'UTC' : 'unit' in kind ? kind.unit : undefined
  return element(
    'th',
    { scope: 'col', class: kind.as },
    name,
    unit === undefined ? null : element('span.unit', ` ${unit}`),
  )
}

function rowView(row: readonly PageCell[], columns: readonly PageColumn[]): HTMLElement {
  return element(
    'tr',
    ...columns.map((column, index) => {
      const cell = row[index] ?? null
      if (cell === null) return element('td', { class: `${column.kind.as} none` }, element('span.unseen', 'none'))
      const shown = cellText(cell, column)
      if (column.kind.as === 'text') return element('td.text', isId(shown) ? idText(shown) : foreignText(shown, 64))
      // The value from the SQL, for programs that read the page.
      const isBroad = shown.length > mostDigits
      return element(
        'td',
        { class: isBroad ? `${column.kind.as} broad` : column.kind.as },
        element('data', { value: String(cell) }, ...(isBroad ? breakable(shown) : [shown])),
      )
    }),
  )
}

/** A number with possible line breaks behind its commas; its text stays the same. */
function breakable(number: string): Node[] {
  return number.split(/(?<=,)/).flatMap((group) => [document.createTextNode(group), element('wbr')])
}

/** The coverage of the lake, stream by stream, and the commands that fill its gaps. */
export function coverageView({ streams, gaps, moreGaps, madeMs }: PageData): HTMLElement {
  const open = streams.filter(({ incomplete }) => incomplete !== null)
  const whole = streams.filter(({ incomplete }) => incomplete === null)
  return section(
    'coverage',
    'h2',
    'Coverage',
    element(
      'p.says',
      'A bar for each stream that is read by ranges, to scale from its beginning to the last that is covered. Lists, readings and series say how far they are in their own terms.',
    ),
    element(
      'ul.legend',
      element('li', element('span.swatch.covered'), 'covered'),
      element('li', element('span.swatch.gap'), 'gap'),
      element('li', element('span.swatch.head'), 'head, as far as it was reached'),
    ),
    open.length === 0 ? null : streamsView(open, madeMs),
    ...(gaps.length === 0 ? [] : [gapsView(gaps, moreGaps)]),
    whole.length === 0 ? null : details('whole-streams', completeText(whole), streamsView(whole, madeMs)),
  )
}

function completeText(streams: readonly PageStream[]): string {
  const count = streams.reduce((sum, { complete }) => sum + complete, 0)
  return `Complete: ${wholeText(String(count))} ${count === 1 ? 'stream' : 'streams'} in ${streams.length} ${streams.length === 1 ? 'row' : 'rows'}`
}

function streamsView(streams: readonly PageStream[], madeMs: number): HTMLElement {
  return element(
    'div',
    element(
      'div',
      { class: 'heads', 'aria-hidden': 'true' },
      element('span', 'Stream'),
      element('span', 'Covered'),
      element('span.sizes', ...['Rows', 'Bytes', 'Head reached'].map((head) => element('span', head))),
    ),
    element('ul.streams', ...streams.map((stream) => streamView(stream, madeMs))),
  )
}

function streamView(stream: PageStream, madeMs: number): HTMLElement {
  const { parameters, part, count, complete, rows, bytes, reachedMs, holds, incomplete } = stream
  const sizes = [
    ['rows', wholeText(String(rows))],
    ['bytes', wholeText(String(bytes))],
    ['head reached', reachedMs === null ? 'never' : reachedText(reachedMs, madeMs)],
  ] as const
  return element(
    'li',
    { class: incomplete === null ? 'stream' : 'stream incomplete' },
    element(
      'div.name',
      foreignText(stream.stream, 64),
      parameters === '' ? null : element('span.parameters', foreignText(parameters, 48)),
      part === null ? null : element('span.parameters', 'tables ', foreignText(part, 80)),
    ),
    element(
      'div.covers',
      barView(stream),
      element(
        'p.holds',
        count === 1 ? '' : `${wholeText(String(complete))} of ${wholeText(String(count))} streams complete; `,
        holds,
        ...(incomplete === null ? [] : ['; ', element('strong.reason', incomplete)]),
      ),
    ),
    element('dl.sizes', ...sizes.map(([title, value]) => element('div', element('dt', title), element('dd', value)))),
  )
}

function reachedText(reachedMs: number, madeMs: number): string {
  const text = timeText(new Date(reachedMs).toISOString()).slice(0, 16)
  const today = new Date(madeMs).toISOString().slice(0, 10)
  return text.startsWith(today) ? `${text.slice(11)} UTC` : `${text} UTC`
}

/** Least width of a part, in thousandths of the bar, so that every part is visible. */
const least = 5

function barView({ range, stream, incomplete }: PageStream): HTMLElement | null {
  if (range === null) return null
  const { from, to, slices } = range
  const length = Math.max(1, to - from)
  const place = (value: number): number => ((value - from) / length) * 1000
  const gaps: (readonly [number, number])[] = []
  let end = from
  for (const [sliceFrom, sliceTo] of slices) {
    if (sliceFrom > end) gaps.push([end, sliceFrom])
    end = Math.max(end, sliceTo)
  }
  if (end < to) gaps.push([end, to])
  const part = (name: string, a: number, b: number): SVGElement => {
    const width = Math.max(least, place(b) - place(a))
    return svgElement('rect', {
      class: name,
      x: String(Math.min(place(a), 1000 - width)),
      y: '0',
      width: String(width),
      height: '10',
    })
  }
  const bar = svgElement(
    'svg',
    {
      class: 'bar',
      viewBox: '0 0 1000 10',
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': `${stream.slice(0, 80)}: ${incomplete ?? 'covered without a gap'}`,
    },
    svgElement('rect', { class: 'scale', x: '0', y: '0', width: '1000', height: '10' }),
    ...slices.map(([a, b]) => part('covered', a, b)),
    ...gaps.map(([a, b]) => part('gap', a, b)),
  )
  return element('div.track', bar, element('span', { class: 'head', 'aria-hidden': 'true' }))
}

function gapsView(gaps: readonly PageGap[], more: number): HTMLElement {
  const heads = ['Stream', 'Tables', 'From', 'To', 'Missing', 'What fills it']
  const rows = gaps.map(({ stream, tables, from, to, missing, command }) =>
    element(
      'tr',
      element('td.text', foreignText(stream, 48)),
      element('td.text', foreignText(tables.join(', '), 48)),
      element('td.whole', from),
      element('td.whole', to),
      element('td.whole', missing),
      element('td.command', codeBlock(command, `the command for ${from} to ${to}`)),
    ),
  )
  const headCells = heads.map((head, index) =>
    element('th', { scope: 'col', class: index > 1 && index < 5 ? 'whole' : 'text' }, head),
  )
  return section(
    'gaps',
    'h3',
    'Gaps',
    element('p.says', 'What is missing, the end not included, and the command that reads it.'),
    scrolledTable('gaps', 'Gaps', 'Gaps', headCells, element('tbody', ...rows)),
    more === 0 ? null : element('p', `${wholeText(String(more))} more: chainlake gaps lists all.`),
  )
}
