import * as Plot from '@observablehq/plot'
import type { PageAnswer, PageColumn } from '../data/page-data.ts'
import { scaleText, timeScale } from './axis.ts'
import { cellNumber, cellText, plainText, shortText, timeText } from './cell-text.ts'
import { element } from './element.ts'
import { others, seriesOf } from './series-colours.ts'

/** How to draw a picture at a width. One answer may have several charts. */
export type Chart = {
  /** The measure and its unit. */
  readonly title: string
  /** Names of the colours, in their order; empty where there is only one. */
  readonly legend: readonly string[]
  readonly draw: (width: number) => Element
}

/** The colour of pictures without series. */
const onlyColour = 'var(--series-1)'
/** A picture shows at most this many bars; the table has all rows. */
const mostBars = 15
/** Average width in pixels of a letter in names of capitals and digits, such as ids, in most fonts. */
const letterWidth = 7.4
const textSize = '11.5px'

type Point = { readonly time: Date; readonly value: number; readonly series: string }

/** The pictures of an answer; empty for a list. */
export function chartsOf(answer: PageAnswer, colours: ReadonlyMap<string, number>): Chart[] {
  const { picture } = answer
  switch (picture.kind) {
    case 'list':
      return []
    case 'bars':
      return [barChart(answer, picture.label, picture.value)]
    case 'columns':
      return [columnChart(answer, picture.label, picture.value)]
    case 'times':
      return picture.values.map((value) => timeChart(answer, value, picture, colours))
    case 'points':
      return picture.values.map((value) => lineChart(answer, { time: picture.time, value, series: null }, colours))
    case 'lines':
      return [lineChart(answer, picture, colours)]
  }
}

function barChart(answer: PageAnswer, label: string, value: string): Chart {
  const [labels, values] = [columnOf(answer, label), columnOf(answer, value)]
  const rows = answer.rows.slice(0, mostBars).map((row, index) => ({
    // Different things may have the same name.
    place: String(index),
    name: plainText(String(row[labels.index] ?? '')),
    value: cellNumber(row[values.index] ?? null, values.column),
    exact: cellText(row[values.index] ?? null, values.column),
  }))
  const longest = Math.max(0, ...rows.map(({ name }) => [...name].length))
  return {
    title: titleOf(
      values.column,
      rows.length < answer.rows.length ? `the first ${rows.length} of ${answer.rows.length}` : '',
    ),
    legend: [],
    draw: (width) => {
      const letters = Math.min(longest, Math.max(10, Math.floor((width * 0.4) / letterWidth)))
      const names = new Map(rows.map(({ place, name }) => [place, shortText(name, letters)]))
      return drawn({
        width,
        height: rows.length * 24 + 6,
        marginLeft: widthOf([...names.values()]) + 12,
        marginRight: 64,
        marginTop: 3,
        marginBottom: 3,
        // Each bar shows its value, so the axis is left out.
        x: { axis: null },
        y: {
          label: null,
          domain: rows.map(({ place }) => place),
          tickFormat: (place: string) => names.get(place) ?? '',
          tickSize: 0,
        },
        marks: [
          Plot.barX(rows, {
            x: 'value',
            y: 'place',
            fill: onlyColour,
            insetTop: 2,
            insetBottom: 2,
            title: (row) => `${row.name}\n${row.exact}${unitOf(values.column)}`,
            tip: true,
          }),
          Plot.text(rows, {
            x: 'value',
            y: 'place',
            text: (row) => scaleText(row.value),
            textAnchor: 'start',
            dx: 5,
            fill: 'currentColor',
          }),
        ],
      })
    },
  }
}

function columnChart(answer: PageAnswer, label: string, value: string): Chart {
  const [labels, values] = [columnOf(answer, label), columnOf(answer, value)]
  const rows = answer.rows.map((row) => ({
    name: plainText(String(row[labels.index] ?? '')),
    value: cellNumber(row[values.index] ?? null, values.column),
    exact: cellText(row[values.index] ?? null, values.column),
  }))
  return {
    title: titleOf(values.column),
    legend: [],
    draw: (width) =>
      drawn({
        width,
        height: 220,
        marginTop: 18,
        marginBottom: 40,
        marginLeft: 46,
        x: {
          label: null,
          domain: rows.map(({ name }) => name),
          tickSize: 0,
          // Names are on two lines, so that neighbouring names have room in the widest fonts.
          tickFormat: (name: string) => name.replace(/ (to|and) |^below /, (words) => `${words.trimEnd()}\n`),
        },
        y: { label: null, grid: true, ticks: 4, tickFormat: scaleText, nice: true },
        marks: [
          Plot.barY(rows, {
            x: 'name',
            y: 'value',
            fill: onlyColour,
            title: (row) => `${row.name}\n${row.exact}${unitOf(values.column)}`,
            tip: true,
            inset: 1,
          }),
          Plot.text(rows, { x: 'name', y: 'value', text: (row) => scaleText(row.value), dy: -8, fill: 'currentColor' }),
          Plot.ruleY([0], { stroke: 'var(--axis)' }),
        ],
      }),
  }
}

function timeChart(
  answer: PageAnswer,
  value: string,
  { time, series = null, below }: { readonly time: string; readonly series?: string | null; readonly below?: string },
  colours: ReadonlyMap<string, number>,
): Chart {
  const { points: all, names, column } = pointsOf(answer, time, value, series)
  const points = all.map((point) => (point.series === below ? { ...point, value: -point.value } : point))
  const grain = answer.grain ?? 'day'
  return {
    title: titleOf(column, `by ${grain}`),
    legend: names.length > 1 ? names : [],
    draw: (width) =>
      drawn({
        width,
        height: 190,
        marginLeft: 46,
        marginTop: 10,
        x: timeScale(points, grain, width),
        y: { label: null, grid: true, ticks: 4, tickFormat: (size: number) => scaleText(Math.abs(size)), nice: true },
        color: { domain: names, range: names.map(colourOf(colours)) },
        marks: [
          Plot.rectY(points, {
            x: 'time',
            interval: grain as Plot.LiteralTimeInterval,
            y: 'value',
            fill: 'series',
            order: [...names],
            inset: 0.5,
            title: (point: Point) => tipText(point, names, column),
            tip: true,
          }),
          Plot.ruleY([0], { stroke: 'var(--axis)' }),
        ],
      }),
  }
}

function lineChart(
  answer: PageAnswer,
  { time, value, series }: { readonly time: string; readonly value: string; readonly series: string | null },
  colours: ReadonlyMap<string, number>,
): Chart {
  const { points, names, column } = pointsOf(answer, time, value, series)
  const grain = answer.grain ?? 'day'
  return {
    title: titleOf(column),
    legend: names.length > 1 ? names : [],
    draw: (width) =>
      drawn({
        width,
        height: 220,
        marginLeft: 46,
        marginTop: 10,
        x: timeScale(points, grain, width),
        y: { label: null, grid: true, ticks: 4, tickFormat: scaleText, zero: true, nice: true },
        color: { domain: names, range: names.map(colourOf(colours)) },
        marks: [
          Plot.ruleY([0], { stroke: 'var(--axis)' }),
          Plot.lineY(points, { x: 'time', y: 'value', stroke: 'series', z: 'series', sort: 'time', strokeWidth: 1.75 }),
          Plot.dot(points, {
            x: 'time',
            y: 'value',
            fill: 'series',
            r: 2.5,
            title: (point: Point) => tipText(point, names, column),
            tip: true,
          }),
        ],
      }),
  }
}

function pointsOf(answer: PageAnswer, time: string, value: string, series: string | null) {
  const times = columnOf(answer, time)
  const values = columnOf(answer, value)
  const of = series === null ? null : columnOf(answer, series)
  const all = answer.rows.map((row) => ({
    time: new Date(`${String(row[times.index]).replace(/Z$/, '')}Z`),
    value: cellNumber(row[values.index] ?? null, values.column),
    series: of === null ? values.column.title : plainText(String(row[of.index] ?? '')),
  }))
  if (series === null) return { points: all as Point[], names: [values.column.title], column: values.column }
  const { own, rest } = seriesOf(answer)
  const shown = rest === null ? own : [...own, rest]
  const points: Point[] = all.map((point) => (shown.includes(point.series) ? point : { ...point, series: others }))
  const names = shown
  return { points, names, column: values.column }
}

function colourOf(colours: ReadonlyMap<string, number>): (name: string) => string {
  return (name) => `var(--series-${colours.get(name) ?? 1})`
}

function tipText({ time, value, series }: Point, names: readonly string[], column: PageColumn): string {
  const when = timeText(time.toISOString()).replace(/ 00:00:00$/, '')
  return `${when} UTC\n${names.length > 1 ? `${shortText(series, 32)}: ` : ''}${Math.abs(value).toLocaleString('en-US', { maximumFractionDigits: 3 })}${unitOf(column)}`
}

function columnOf(answer: PageAnswer, name: string): { index: number; column: PageColumn } {
  const index = answer.columns.findIndex((column) => column.name === name)
  return { index, column: answer.columns[index]! }
}

function unitOf({ kind }: PageColumn): string {
  return 'unit' in kind && kind.unit !== undefined ? ` ${kind.unit}` : ''
}

function titleOf(column: PageColumn, more = ''): string {
  const unit = unitOf(column)
  return `${column.title}${unit === '' ? '' : `,${unit}`}${more === '' ? '' : `, ${more}`}`
}

/** Width in pixels of the widest text in a picture, in the font of this browser. */
function widthOf(texts: readonly string[]): number {
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) return Math.max(0, ...texts.map((text) => [...text].length)) * letterWidth
  context.font = `${textSize} ${getComputedStyle(document.body).fontFamily}`
  return Math.ceil(Math.max(0, ...texts.map((text) => context.measureText(text).width)))
}

/** Draws a picture without the style that the library puts into each one: the page has its own, and its policy allows no other. */
function drawn(options: Plot.PlotOptions): Element {
  const made = Plot.plot({
    ...options,
    className: 'plot',
    style: { background: 'none', fontFamily: 'inherit', fontSize: textSize, overflow: 'visible' },
  })
  for (const style of made.querySelectorAll('style')) style.remove()
  for (const part of made.querySelectorAll('[aria-label], [aria-description]')) {
    part.removeAttribute('aria-label')
    part.removeAttribute('aria-description')
  }
  return made
}

export function legendOf(names: readonly string[], colours: ReadonlyMap<string, number>): HTMLElement {
  return element(
    'ul',
    { class: 'legend' },
    ...names.map((name) =>
      element(
        'li',
        {},
        element('span', { class: `swatch series-${colours.get(name) ?? 1}` }),
        element('bdi', {}, shortText(name, 40)),
      ),
    ),
  )
}
