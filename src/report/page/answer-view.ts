import type { PageAnswer, PageCell, PageColumn } from '../data/page-data.ts'
import { cellText } from './cell-text.ts'
import { type Chart, chartsOf, legendOf } from './chart.ts'
import { codeBlock, element, foreignText, idText, isId } from './element.ts'

/** A number with more characters takes several lines, so that it does not push columns out of the table. */
const mostDigits = 32
/** Rows that a table shows at first. */
const firstRows = 100

/** An answer: its pictures, its numbers, and the SQL that gave them. */
export function answerView(answer: PageAnswer, colours: ReadonlyMap<string, number>): HTMLElement {
  const { id, title, says, sql, rows, failure } = answer
  const charts = failure === null ? chartsOf(answer, colours) : []
  const heading = element('h3', { id: `${id}-title` }, title)
  const numbers =
    charts.length === 0 && failure === null
      ? tableView(answer)
      : failure === null
        ? element(
            'details',
            { class: 'numbers' },
            element('summary', {}, `Numbers: ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`),
            tableView(answer),
          )
        : null
  return element(
    'article',
    { class: charts.length === 1 ? 'answer' : 'answer wide', id, 'aria-labelledby': `${id}-title` },
    heading,
    element('p', { class: 'says' }, says),
    failure === null
      ? null
      : element('p', { class: 'failure' }, 'The lake could not be queried: ', foreignText(failure, 400)),
    charts.length === 0
      ? null
      : element('div', { class: 'pictures' }, ...charts.map((chart) => chartView(chart, answer, colours))),
    numbers,
    element('details', { class: 'sql' }, element('summary', {}, 'SQL'), codeBlock(sql, `SQL of ${title}`)),
  )
}

function chartView(chart: Chart, answer: PageAnswer, colours: ReadonlyMap<string, number>): HTMLElement {
  const place = element('div', { class: 'picture' })
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
    {},
    element('figcaption', {}, chart.title),
    chart.legend.length === 0 ? null : legendOf(chart.legend, colours),
    place,
  )
}

function tableView({ id, title, columns, rows }: PageAnswer): HTMLElement {
  const body = element('tbody')
  const fill = (some: readonly (readonly PageCell[])[]): void =>
    body.append(...some.map((row) => rowView(row, columns)))
  fill(rows.slice(0, firstRows))
  const table = element(
    'table',
    { id: `${id}-table` },
    element('caption', { class: 'unseen' }, title),
    element('thead', {}, element('tr', {}, ...columns.map(headView))),
    body,
  )
  const scroll = element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': `Numbers of ${title}` },
    table,
  )
  if (rows.length <= firstRows) return scroll
  const more = element('button', { type: 'button', class: 'more' }, `Show all ${rows.length} rows`)
  more.addEventListener('click', () => {
    fill(rows.slice(firstRows))
    more.remove()
    scroll.focus()
  })
  return element('div', {}, scroll, more)
}

function headView({ title, kind }: PageColumn): HTMLElement {
  const unit = kind.as === 'time' ? 'UTC' : 'unit' in kind ? kind.unit : undefined
  return element(
    'th',
    { scope: 'col', class: kind.as },
    title,
    unit === undefined ? null : element('span', { class: 'unit' }, ` ${unit}`),
  )
}

function rowView(row: readonly PageCell[], columns: readonly PageColumn[]): HTMLElement {
  return element(
    'tr',
    {},
    ...columns.map((column, index) => {
      const cell = row[index] ?? null
      if (cell === null)
        return element('td', { class: `${column.kind.as} none` }, element('span', { class: 'unseen' }, 'none'))
      const shown = cellText(cell, column)
      if (column.kind.as === 'text')
        return element('td', { class: 'text' }, isId(shown) ? idText(shown) : foreignText(shown, 64))
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
