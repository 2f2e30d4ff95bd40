import type { Dialect } from '../../../index/methods.ts'

/** A price in US dollars: a text in the specification, a number on the real service. */
export function dollars(value: number, dialect: Dialect): object {
  return { currencyCode: 'usd', value: dialect === 'spec' ? String(value) : value }
}
