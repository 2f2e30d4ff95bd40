const steps = [
  { unit: 's', seconds: 1, below: 90 },
  { unit: 'min', seconds: 60, below: 90 * 60 },
  { unit: 'h', seconds: 3_600, below: 36 * 3_600 },
  { unit: 'days', seconds: 86_400, below: Number.POSITIVE_INFINITY },
] as const

/** An age in one rounded unit, such as `40 s`, `12 min` or `388 days`. */
export function ageText(milliseconds: number): string {
  const seconds = milliseconds / 1_000
  if (seconds < 1) return 'less than 1 s'
  const step = steps.find(({ below }) => seconds < below) ?? steps[3]
  return `${Math.round(seconds / step.seconds).toLocaleString('en-US')} ${step.unit}`
}
