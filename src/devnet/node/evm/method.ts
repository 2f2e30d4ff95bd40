import type { Arguments } from './arguments.ts'

/** Methods by name; they take their arguments by position and give what is JSON. */
export type EvmMethods = Readonly<Record<string, (args: Arguments) => Promise<unknown> | unknown>>
