/** The last column of each view that shows the time of a block. Files do not have it. */
export const blockDate = 'block_date'
export const blockTime = 'block_time'

/**
 * SQL: the UTC date of a time. A cast of the time itself would give the date in the time zone of the session, and `AT TIME ZONE` needs an
 * extension and takes ten times as long.
 */
export function utcDate(time: string): string {
  return `make_timestamp(epoch_us(${time}))::DATE`
}

/** The column with the date of a time, in a table or view of this name. Most blocks of the P-Chain before Banff have no time of their own. */
export function dateColumn(name: string, time: string, isNullable: boolean) {
  const known = name.startsWith('p_') ? ': p_block_times has the date of every block' : ''
  const exception = isNullable ? `; null where ${time} is null${known}` : ''
  return { type: 'DATE', comment: `UTC date of ${time}, the same in every time zone${exception}.` } as const
}
