const mark = Symbol('written')

/** A number that is neither a safe integer nor what a `number` holds without rounding, as it was written. */
export type WrittenNumber = { readonly [mark]: string; readonly toString: () => string; readonly toJSON: () => string }

export function writtenNumber(text: string): WrittenNumber {
  return { [mark]: text, toString: () => text, toJSON: () => text }
}

export function isWrittenNumber(value: unknown): value is WrittenNumber {
  return typeof value === 'object' && value !== null && mark in value
}
