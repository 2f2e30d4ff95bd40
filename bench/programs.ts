import { fileURLToPath } from 'node:url'

const built = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Built programs that the bench starts. */
export const programs = {
  answerServer: built('./answer-server.js'),
  chainlake: built('../src/cli/main.js'),
  commitChild: built('./commit-child.js'),
  floor: built('./floor.js'),
  staticEvm: built('./static-evm.js'),
  staticPages: built('./static-pages.js'),
} as const

/** Loaded before a program that is measured. */
export const reporter = built('./report-usage.js')
