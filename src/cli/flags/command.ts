import type { InferredOptionTypes, Options } from 'yargs'
import type { Pipeline } from '../../define/index.ts'
import { DefinitionError } from '../../errors.ts'
import type { PipelinesOf } from '../settings/settings.ts'

/** A flag. `value` stands for its value in help; default: the last word of its name in capitals. */
export type Flag = Options & { readonly value?: string | undefined }

export type OptionSet = { readonly [flag: string]: Flag }

/** A command line to copy, and what it is for. */
export type Example = { readonly line: string; readonly says: string }

/** A positional argument; with `many` it takes all remaining ones. */
type Positional = { readonly name: string; readonly comment: string; readonly many?: true }

export type Command<O extends OptionSet = any> = {
  readonly name: string
  /** The line that help shows, such as `describe <table>`: `<…>` is required, `[…]` optional, `..` repeats. */
  readonly usage: string
  readonly comment: string
  readonly positionals: readonly Positional[]
  readonly options: O
  /** For help: the first one is the most common use. */
  readonly examples: readonly Example[]
  /** Loads options that depend on the pipelines, only when the command is used. */
  readonly loadOptions: ((pipelines: readonly Pipeline[]) => Promise<OptionSet>) | null
  /** Runs the command; resolves to its exit code, or to undefined for 0. */
  readonly run: (args: Given<O>) => Promise<number | undefined>
}

/** The flags of a command, and its positional arguments in order. */
export type Arguments<O extends OptionSet> = {
  readonly flags: { readonly [K in keyof InferredOptionTypes<O>]: InferredOptionTypes<O>[K] }
  readonly positionals: readonly string[]
}

/** What a command gets. */
type Given<O extends OptionSet> = Arguments<O> & {
  /** The pipelines that jobs of this command line may be. */
  readonly pipelinesOf: PipelinesOf
}

type CommandDeclaration<O extends OptionSet> = Omit<Command<O>, 'positionals' | 'loadOptions'> &
  Partial<Pick<Command<O>, 'positionals' | 'loadOptions'>>

/** Declares a command. `run` imports heavy modules (DuckDB, undici, the codec) itself, so that help stays fast. */
export function command<O extends OptionSet>(declaration: CommandDeclaration<O>): Command<O> {
  return { positionals: [], loadOptions: null, ...declaration }
}

/** The command with all of its options. */
export async function withAllOptions(
  command: Command,
  loadPipelines: () => Promise<readonly Pipeline[]>,
): Promise<Command> {
  if (command.loadOptions === null) return command
  const loaded = await command.loadOptions(await loadPipelines())
  const taken = Object.keys(loaded).find((flag) => Object.hasOwn(command.options, flag))
  if (taken !== undefined)
    throw new DefinitionError(`A parameter of a pipeline has the name of a flag: ${taken}.`, {
      code: 'definition.taken',
      hint: `Rename the parameter: --${taken} is a flag of chainlake ${command.name}.`,
    })
  return { ...command, options: { ...command.options, ...loaded } }
}
