import { type Measurement, multipleOf, type Slope } from './multiple.ts'
import type { Subject } from './subject.ts'

const widths = [20, 9, 9, 9, 9, 8, 8, 8, 9]

export const heading = line(['export', 'items', 'rows', 'seconds', 'rows/s', 'CPU s', 'floor s', '× floor', 'peak MiB'])

export function measurementLine({ name }: Subject, measured: Measurement): string {
  const { items, rows, seconds, cpuSeconds, floorSeconds, peakMiB } = measured
  return line([
    name,
    String(items),
    String(rows),
    seconds.toFixed(1),
    String(Math.round(rows / seconds)),
    cpuSeconds.toFixed(2),
    floorSeconds.toFixed(2),
    multipleOf(measured).toFixed(1),
    peakMiB.toFixed(0),
  ])
}

export function slopeLine({ item }: Subject, { micros, floorMicros, multiple }: Slope): string {
  const each = `${micros.toFixed(1)} µs of CPU for each further ${item}, floor ${floorMicros.toFixed(1)} µs`
  return `  slope: ${each}: ${multiple.toFixed(1)} ×`
}

function line(cells: readonly string[]): string {
  return cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[at]!))).join(' ')
}
