import { command } from '../../flags/command.ts'
import { commonFlags, lakeFlag } from '../../flags/options.ts'
import { demoQuestions } from './demo-questions.ts'

export const demoCommand = command({
  name: 'demo',
  usage: 'demo',
  comment: `Export a simulated Avalanche network, answer ${demoQuestions.length} questions about it with SQL and write a report`,
  examples: [{ line: 'chainlake demo --lake ./demo-lake', says: 'a network to look at, in half a minute' }],
  options: { ...lakeFlag, ...commonFlags },
  run: async ({ flags }) => (await import('./run-demo.ts')).runDemo(flags),
})
