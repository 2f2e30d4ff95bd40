import type { Arguments } from './arguments.ts'

/** Methods by name. They take their arguments by position and return JSON values. */
export type EvmMethods = Readonly<Record<string, (args: Arguments) => Promise<unknown> | unknown>>
