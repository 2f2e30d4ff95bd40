import * as Plot from '@observablehq/plot'
import type { PageAnswer, PageColumn } from '../page-data.ts'
import { cellNumber, cellText, others, plainText, seriesOf, shortText, timeText } from './cell-text.ts'
import { element } from './element.ts'

const grainMs: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_629_800_000,
}
/** The axis has room for at least this many bars; fewer would be too wide. */
const leastBars = 8

/** The scale of times. It is at least `leastBars` bars long, and its ticks are not finer than the bars. */
function timeScale(points: readonly { readonly time: Date }[], grain: string, width: number): Plot.ScaleOptions {
  const starts = [...new Set(points.map(({ time }) => time.getTime()))].sort((a, b) => a - b)
  const step = grainMs[grain] ?? 0
  const [first = 0, last = 0] = [starts[0], starts.at(-1)]
  const common = { label: null, type: 'utc', tickFormat: timeTick(grain) } as const
  const most = Math.max(2, Math.floor(width / 110))
  const bars = step === 0 ? leastBars : Math.round((last - first) / step) + 1
  if (bars >= leastBars) return { ...common, ticks: most }
  const begin = last - (leastBars - 1) * step
  const every = Math.ceil(leastBars / most)
  const ticks = Array.from({ length: leastBars }, (_, index) => new Date(begin + index * step))
  return {
    ...common,
    domain: [new Date(begin), new Date(last + step)],
    ticks: ticks.filter((_, index) => (leastBars - 1 - index) % every === 0),
  }
}

/** The text of a tick: the part of the time that changes with each tick, and below it the other part where that is new. */
function timeTick(grain: string): (time: Date, index: number, ticks?: readonly Date[]) => string {
  const isShort = grain === 'minute' || grain === 'hour'
  return (time, index, ticks = []) => {
    const [day = '', clock = ''] = time.toISOString().slice(0, 16).split('T')
    const [upper, lower] = isShort ? [clock, day] : [day.slice(5), day.slice(0, 4)]
    const before = ticks[index - 1]?.toISOString().slice(0, isShort ? 10 : 4)
    return before === lower ? upper : `${upper}\n${lower}`
  }
}

/** A number as axes and bars show it: `12.3k`. */
function scaleText(value: number): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size < 0.001) return value.toExponential(1)
  if (size < 1_000) return String(Number(value.toPrecision(3)))
  const steps = ['', 'k', 'M', 'G', 'T', 'P', 'E']
  const step = Math.min(steps.length - 1, Math.floor(Math.log10(size) / 3))
  return size >= 1e21 ? value.toExponential(1) : `${Number((value / 1_000 ** step).toPrecision(3))}${steps[step]}`
}

/** How to draw a picture at a width. One answer may have several charts. */
type Chart = {
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

type OverTime = Extract<PageAnswer['picture'], { readonly values: unknown }>

type Point = { readonly time: Date; readonly value: number; readonly series: string }

/** The pictures of an answer; empty for a list. */
export function chartsOf(answer: PageAnswer, colours: ReadonlyMap<string, number>): Chart[] {
  const { picture } = answer
  if (picture.kind === 'list') return []
  if (picture.kind === 'bars') return [barChart(answer, picture.label, picture.value)]
  return picture.values.map((value) => timeChart(answer, value, picture, colours))
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

function timeChart(
  answer: PageAnswer,
  value: string,
  { kind, time, series, below }: OverTime,
  colours: ReadonlyMap<string, number>,
): Chart {
  const { points: all, names, column } = pointsOf(answer, time, value, series)
  const points = all.map((point) => (point.series === below ? { ...point, value: -point.value } : point))
  const grain = answer.grain ?? 'day'
  const tip = { title: (point: Point) => tipText(point, names, column), tip: true }
  const place = { x: 'time', y: 'value' }
  const zero = Plot.ruleY([0], { stroke: 'var(--axis)' })
  return {
    title: titleOf(column, kind === 'times' ? `by ${grain}` : ''),
    legend: names.length > 1 ? names : [],
    draw: (width) =>
      drawn({
        width,
        height: 200,
        marginLeft: 46,
        marginTop: 10,
        x: timeScale(points, grain, width),
        y: {
          label: null,
          grid: true,
          ticks: 4,
          tickFormat: (size: number) => scaleText(Math.abs(size)),
          zero: true,
          nice: true,
        },
        color: { domain: names, range: names.map(colourOf(colours)) },
        marks:
          kind === 'times'
            ? [
                Plot.rectY(points, {
                  ...place,
                  ...tip,
                  interval: grain as Plot.LiteralTimeInterval,
                  fill: 'series',
                  order: [...names],
                  inset: 0.5,
                }),
                zero,
              ]
            : [
                zero,
                Plot.lineY(points, { ...place, stroke: 'series', z: 'series', sort: 'time', strokeWidth: 1.75 }),
                Plot.dot(points, { ...place, ...tip, fill: 'series', r: 2.5 }),
              ],
      }),
  }
}

function pointsOf(answer: PageAnswer, time: string, value: string, series: string | undefined) {
  const [times, { index, column }] = [columnOf(answer, time), columnOf(answer, value)]
  const of = series === undefined ? null : columnOf(answer, series)
  const { own, rest } = seriesOf(answer)
  const names = of === null ? [value] : rest === null ? own : [...own, rest]
  const points = answer.rows.map((row): Point => {
    const name = of === null ? value : plainText(String(row[of.index] ?? ''))
    return {
      time: new Date(`${String(row[times.index]).replace(/Z$/, '')}Z`),
      value: cellNumber(row[index] ?? null, column),
      series: names.includes(name) ? name : others,
    }
  })
  return { points, names, column }
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

function titleOf(column: PageColumn, more: string): string {
  return [column.name, unitOf(column).trim(), more].filter((part) => part !== '').join(', ')
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
  const swatch = (name: string): HTMLElement => {
    const made = element('span.swatch')
    made.style.background = colourOf(colours)(name)
    return made
  }
  return element('ul.legend', ...names.map((name) => element('li', swatch(name), element('bdi', shortText(name, 40)))))
}
