import type { Dialect } from '../../../index/methods.ts'

/** A price in US dollars: text in the specification, a number in the real service. */
export function dollars(value: number, dialect: Dialect): object {
  return { currencyCode: 'usd', value: dialect === 'spec' ? String(value) : value }
}
