/** What the reference says about an error code: the exit code of the command, what happened, and what to do. */
export type ErrorFact = readonly [exitCode: number, cause: string, remedy: string]

/** Error codes of some families with their facts. */
export type ErrorFacts = Readonly<Record<string, ErrorFact>>
