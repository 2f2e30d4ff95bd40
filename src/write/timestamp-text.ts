/** A time as DuckDB writes it: `2024-01-15 12:30:00.123456+00`. `time`: microseconds since 1970 UTC, years 1 to 9999. */
export function timestampText(time: bigint): string {
  const fraction = ((time % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = new Date(Number((time - fraction) / 1000n)).toISOString().slice(0, 19).replace('T', ' ')
  const digits = String(fraction).padStart(6, '0').replace(/0+$/, '')
  return `${seconds}${digits === '' ? '' : `.${digits}`}+00`
}
