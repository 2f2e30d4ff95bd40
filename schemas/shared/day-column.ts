/** The day of rows that a view counts by day. */
export const dayColumn = { type: 'DATE', comment: 'Day in UTC.' } as const
